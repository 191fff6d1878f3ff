<?php

// The system's log: log-reader.php PATH dgram|stream FULL_MS. Its queue is full at first; after so many ms it is read.
// Prints what came, a line each, until a message is "end".

declare(strict_types=1);

[, $path, $type, $full_ms] = $argv;
$flags = $type === 'dgram' ? STREAM_SERVER_BIND : STREAM_SERVER_BIND | STREAM_SERVER_LISTEN;
$log = stream_socket_server(($type === 'dgram' ? 'udg' : 'unix') . "://{$path}", $error, $text, $flags);
if ($log === false) {
    exit($text);
}
$fill = $type === 'dgram' && (int) $full_ms > 0 ? stream_socket_client("udg://{$path}") : false;
if ($fill !== false) {
    stream_set_blocking($fill, false);
    while ((int) @fwrite($fill, 'fill') > 0) {
    }
}
echo "ready\n";
usleep((int) $full_ms * 1000);
for (;;) {
    $connection = $type === 'dgram' ? false : stream_socket_accept($log);
    $message = $connection === false
        ? (string) stream_socket_recvfrom($log, 65536)
        : (string) stream_get_contents($connection);
    if ($message === 'end') {
        break;
    }
    if ($message !== 'fill') {
        echo $type === 'dgram' ? "{$message}\n" : str_replace("\0", "\n", $message);
    }
}
