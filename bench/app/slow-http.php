<?php

declare(strict_types=1);

// An HTTP service that takes its time: GET /10 is answered after 10 ms. `php slow-http.php SOCKET`, until it is ended.
[, $path] = $argv;
$context = stream_context_create(['socket' => ['backlog' => 1000]]);
$server = stream_socket_server("unix://$path", $code, $message, context: $context);
if ($server === false) {
    fwrite(STDERR, "$path: $message\n");
    exit(1);
}
$clients = $read = $due = [];
for (;;) {
    $ready = [$server, ...$clients];
    $none = null;
    $wait = $due === [] ? 1_000_000 : max(0, (int) ((min(array_column($due, 0)) - hrtime(true)) / 1000));
    stream_select($ready, $none, $none, 0, $wait);
    foreach ($ready as $one) {
        if ($one === $server) {
            $client = @stream_socket_accept($server, 0);
            if ($client !== false) {
                stream_set_blocking($client, false);
                $clients[(int) $client] = $client;
                $read[(int) $client] = '';
            }
            continue;
        }
        $bytes = fread($one, 8192);
        if ($bytes === '' || $bytes === false) {
            unset($clients[(int) $one], $read[(int) $one], $due[(int) $one]);
            fclose($one);
            continue;
        }
        $read[(int) $one] .= $bytes;
        if (preg_match('~^GET /(\d+) .*\r\n\r\n~s', $read[(int) $one], $match) === 1) {
            $read[(int) $one] = '';
            $due[(int) $one] = [hrtime(true) + (int) $match[1] * 1_000_000, (int) $match[1]];
        }
    }
    foreach ($due as $id => [$when, $ms]) {
        if ($when <= hrtime(true)) {
            unset($due[$id]);
            $body = "waited $ms\n";
            fwrite($clients[$id], "HTTP/1.1 200 OK\r\nContent-Length: " . strlen($body) . "\r\n\r\n$body");
        }
    }
}
