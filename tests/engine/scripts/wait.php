<?php

// Waits in the way that ?way= says, for ?ms= milliseconds (100) where that can be chosen.

declare(strict_types=1);

$way = $_GET['way'];
$ms = (int) ($_GET['ms'] ?? 100);
$seconds = $ms / 1000;
switch ($way) {
    case 'usleep':
        usleep($ms * 1000);
        break;
    case 'nanosleep':
        time_nanosleep(intdiv($ms, 1000), $ms % 1000 * 1_000_000);
        break;
    case 'sleep':
        sleep((int) $seconds);
        break;
    case 'select':
        [$one, $two] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        $read = [$one];
        $write = $except = null;
        $found = stream_select($read, $write, $except, 0, $ms * 1000);
        if ($found !== 0) {
            exit("select found {$found}");
        }
        break;
    case 'poll':
        [$one, $two] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        stream_set_timeout($one, 0, $ms * 1000);
        $got = fread($one, 10);
        if ((string) $got !== '' || !stream_get_meta_data($one)['timed_out']) {
            exit('the read did not time out');
        }
        break;
    case 'flock':
        // Whoever has it sleeps: all of them one after another.
        $file = fopen(__FILE__, 'r');
        flock($file, LOCK_EX);
        usleep(5000);
        flock($file, LOCK_UN);
        break;
    case 'bad':
        try {
            time_nanosleep(0, -1);
        } catch (ValueError $error) {
            exit('refused');
        }
        break;
    case 'proc':
        $child = proc_open(['sh', '-c', "sleep {$seconds}; echo out; exit 7"], [1 => ['pipe', 'w']], $pipes);
        $out = stream_get_contents($pipes[1]);
        $status = proc_close($child);
        if ([$out, $status] !== ["out\n", 7]) {
            exit("{$out} {$status}");
        }
        break;
    case 'close':
        // No output to read: only proc_close() waits.
        $child = proc_open(['sleep', (string) $seconds], [], $pipes);
        $status = proc_close($child);
        if ($status !== 0) {
            exit("status {$status}");
        }
        break;
    case 'infile':
        // What curl sends comes from a pipe, in two parts.
        $sent = (string) tempnam(sys_get_temp_dir(), 'howdah');
        $pipe = popen("echo one; sleep {$seconds}; echo two", 'r');
        $curl = curl_init("file://{$sent}");
        curl_setopt_array($curl, [CURLOPT_UPLOAD => true, CURLOPT_INFILE => $pipe]);
        $done = curl_exec($curl);
        $text = file_get_contents($sent);
        unlink($sent);
        if ([$done, $text] !== [true, "one\ntwo\n"]) {
            exit(json_encode([$done, $text, curl_error($curl)]));
        }
        break;
    case 'outfile':
        // What curl receives goes into a pipe that is full for a while.
        $received = (string) tempnam(sys_get_temp_dir(), 'howdah');
        file_put_contents($received, $text = str_repeat('abcdefg', 100_000));
        $pipe = popen("sleep {$seconds}; cat > {$received}.copy", 'w');
        $curl = curl_init("file://{$received}");
        curl_setopt_array($curl, [CURLOPT_FILE => $pipe]);
        $done = curl_exec($curl);
        $status = pclose($pipe);
        $copy = file_get_contents("{$received}.copy");
        array_map(unlink(...), [$received, "{$received}.copy"]);
        if ([$done, $status] !== [true, 0] || $copy !== $text) {
            exit(json_encode([$done, $status, strlen((string) $copy), curl_error($curl)]));
        }
        break;
    case 'errfile':
        // What curl tells of a transfer goes into a pipe that is full for a while.
        $told = (string) tempnam(sys_get_temp_dir(), 'howdah');
        $pipe = popen("sleep {$seconds}; cat > {$told}", 'w');
        $filled = 0;
        stream_set_blocking($pipe, false);
        while (($part = (int) @fwrite($pipe, str_repeat('f', 4096))) > 0) {
            $filled += $part;
        }
        stream_set_blocking($pipe, true);
        // The request is taken and not answered: that ends the transfer.
        $server = stream_socket_server('tcp://127.0.0.1:0');
        $taken = null;
        $request = '';
        $take = static function () use ($server, &$taken, &$request): int {
            if ($taken === null) {
                $taken = @stream_socket_accept($server, 0) ?: null;
                $taken === null || stream_set_blocking($taken, false);
            }
            if (is_resource($taken)) {
                $request .= fread($taken, 65536);
                str_ends_with($request, "\r\n\r\n") && fclose($taken);
            }

            return 0;
        };
        $curl = curl_init('http://' . stream_socket_get_name($server, false));
        $header = 'X-Long: ' . str_repeat('abcdefg', 2000);
        curl_setopt_array($curl, [
            CURLOPT_VERBOSE => true,
            CURLOPT_STDERR => $pipe,
            CURLOPT_HTTPHEADER => [$header],
            CURLOPT_NOPROGRESS => false,
            CURLOPT_XFERINFOFUNCTION => $take,
        ]);
        $done = curl_exec($curl);
        $errno = curl_errno($curl);
        $status = pclose($pipe);
        $text = (string) file_get_contents($told);
        unlink($told);
        $told = [$done, $errno, $status, strspn($text, 'f'), str_contains($text, "{$header}\r\n")];
        if ($told !== [false, CURLE_GOT_NOTHING, 0, $filled, true]) {
            exit(json_encode([$done, $errno, $status, strlen($text), $filled]));
        }
        break;
    case 'exec':
        exec("sleep {$seconds}; echo out; exit 3", $lines, $status);
        if ([$lines, $status] !== [['out'], 3]) {
            exit(json_encode([$lines, $status]));
        }
        break;
    case 'mail':
        // More than a pipe holds, to a program that takes its time (sendmail_path).
        if (!mail('to@example.org', 'subject', str_repeat("a line\n", 30_000))) {
            exit('it was not sent');
        }
        break;
    case 'recv':
        socket_create_pair(AF_UNIX, SOCK_STREAM, 0, $pair);
        socket_set_option($pair[0], SOL_SOCKET, SO_RCVTIMEO, ['sec' => intdiv($ms, 1000), 'usec' => $ms % 1000 * 1000]);
        $got = @socket_recv($pair[0], $data, 10, 0);
        if ($got !== false || socket_last_error($pair[0]) !== SOCKET_EAGAIN) {
            exit('the time limit of the socket was not kept');
        }
        break;
    case 'talk':
        // A server and its client in one request, with blocking sockets.
        $server = socket_create_listen(0);
        socket_getsockname($server, $host, $port);
        $client = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
        socket_connect($client, '127.0.0.1', $port);
        $accepted = socket_accept($server);
        $text = str_repeat('0123456789', 5000);
        if (socket_write($client, $text) !== strlen($text)) {
            exit('a short write');
        }
        $got = '';
        while (strlen($got) < strlen($text)) {
            $got .= socket_read($accepted, 65536);
        }
        if ($got !== $text) {
            exit('other bytes came');
        }
        break;
    case 'dns':
        $found = [gethostbyname('localhost'), gethostbyname('nowhere.invalid'), gethostbyaddr('127.0.0.1')];
        $found[] = gethostbynamel('localhost');
        if ($found !== ['127.0.0.1', 'nowhere.invalid', 'localhost', ['127.0.0.1']]) {
            exit(json_encode($found));
        }
        break;
    case 'compute':
        // The first request computes until the others have ended, but no more than 300 ms (60 s with ?long=1) of the
        // processor; the others do so for nothing.
        $processor = static function (): float {
            $used = getrusage();

            return $used['ru_utime.tv_sec'] + $used['ru_utime.tv_usec'] / 1e6;
        };
        $limit = $processor() + (isset($_GET['long']) ? 60 : 0.3);
        while ($_GET['n'] === '0' && filesize($_GET['file']) < 3 && $processor() < $limit) {
            clearstatcache();
        }
        if ($_GET['n'] === '0' && isset($_GET['long'])) {
            if (filesize($_GET['file']) < 3) {
                exit('nobody else ran ');
            }
            usleep(10_000); // who has written may not have ended yet
        }
        file_put_contents($_GET['file'], $_GET['n'], FILE_APPEND);
        exit("{$_GET['n']} ");
    case 'copy':
        // The same, but one C function computes, and only writes output meanwhile.
        $zeros = fopen('/dev/zero', 'r');
        $output = fopen('php://output', 'w');
        assert($zeros !== false && $output !== false);
        stream_copy_to_stream($zeros, $output, $_GET['n'] === '0' ? 100_000_000 : 0);
        exit("{$_GET['n']} ");
    case 'told':
        // Until the runner tells something, into a file: however slow the machine is.
        for ($until = hrtime(true) + 60_000_000_000; filesize('/proc/self/fd/2') === 0; clearstatcache()) {
            if (hrtime(true) > $until) {
                exit('nothing was told');
            }
            usleep(10_000);
        }
        break;
    case 'spin':
        set_time_limit(1);
        for ($i = 0;; ++$i) {
            $i ^= 1;
        }
}
echo 'done';
