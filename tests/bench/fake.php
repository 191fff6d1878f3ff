<?php

/* fake.php PORT FAULT N BOOK: answers "right", or what FAKE_RIGHT says, to everything and writes a byte for each into BOOK;
 * from its Nth answer on it does as it was told, and makes the file FAKE_MARK then. */

declare(strict_types=1);

/** @var list<string> $arguments */
$arguments = $_SERVER['argv'];
[, $port, $fault, $from, $book] = $arguments;
$book = fopen($book, 'a') ?: exit(1);
$listener = stream_socket_server("tcp://127.0.0.1:$port") ?: exit(1);
$right = getenv('FAKE_RIGHT') ?: 'right';
$mark = (string) getenv('FAKE_MARK');
$clients = [];
$buffers = [];
$answered = 0;

$answer = static function (int $number, int $crowd) use ($fault, $from, $book, $right, &$mark): string {
    $spoilt = $number >= (int) $from;
    // One in ten is lost, or written twice.
    $odd = $spoilt && $number % 10 === 0;
    // That it had its chance to be noticed.
    if ($spoilt && $mark !== '' && ($odd || !in_array($fault, ['lose', 'double', 'crowd'], true))) {
        touch($mark);
        $mark = '';
    }
    fwrite($book, $odd && $fault === 'lose' ? '' : ($odd && $fault === 'double' ? '##' : '#'));
    if ($spoilt && $fault === 'die') {
        fwrite(STDERR, "the fake dies now\n");
        exit(3);
    }
    $body = $spoilt ? match ($fault) {
        'wrong' => 'wrong',
        'long' => 'right, and then some more that nobody asked for',
        default => $right,
    } : $right;
    // Who is asked by one alone does nothing wrong.
    $full = $fault === 'crowd' && $crowd > 2 && $number % 10 === 0;
    $status = $full || $spoilt && $fault === 'status' ? '500 Oops' : '200 OK';

    return "HTTP/1.1 $status\r\nContent-Length: " . strlen($body) . "\r\n\r\n$body";
};

while (true) {
    $ready = [$listener, ...$clients];
    $none = [];
    if (stream_select($ready, $none, $none, 60) === false) {
        exit(1);
    }
    foreach ($ready as $stream) {
        if ($stream === $listener) {
            $client = stream_socket_accept($listener);
            if ($client !== false) {
                stream_set_blocking($client, false);
                $clients[(int) $client] = $client;
                $buffers[(int) $client] = '';
            }
            continue;
        }
        $read = fread($stream, 65536);
        if ($read === false || $read === '') {
            unset($clients[(int) $stream], $buffers[(int) $stream]);
            continue;
        }
        $buffers[(int) $stream] .= $read;
        while (($end = strpos($buffers[(int) $stream], "\r\n\r\n")) !== false) {
            $buffers[(int) $stream] = substr($buffers[(int) $stream], $end + 4);
            // Slower than the load generator, which would else be the limit on some machines: then nothing is compared.
            usleep(100);
            fwrite($stream, $answer($answered++, count($clients)));
        }
    }
}
