<?php

// The system's log: log-reader.php PATH dgram|stream COUNT FOLDER. Its queue is full at first; it is read when the folder has
// so many files. Where they do not come, it is read after PATIENCE all the same, and says so: "late" is the first line then.
// Prints what came, a line each, until a message is "end".

declare(strict_types=1);

const PATIENCE = 60;

[, $path, $type, $count, $folder] = $argv;
$flags = $type === 'dgram' ? STREAM_SERVER_BIND : STREAM_SERVER_BIND | STREAM_SERVER_LISTEN;
$log = stream_socket_server(($type === 'dgram' ? 'udg' : 'unix') . "://{$path}", $error, $text, $flags);
if ($log === false) {
    exit($text);
}
$fill = $type === 'dgram' && (int) $count > 0 ? stream_socket_client("udg://{$path}") : false;
if ($fill !== false) {
    stream_set_blocking($fill, false);
    while ((int) @fwrite($fill, 'fill') > 0) {
    }
}
echo "ready\n";
for ($end = hrtime(true) + PATIENCE * 1e9; count(glob("{$folder}/*") ?: []) < (int) $count;) {
    if (hrtime(true) > $end) {
        echo "late\n";
        break;
    }
    usleep(5000);
}
for (;;) {
    $connection = $type === 'dgram' ? false : stream_socket_accept($log, 600);
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
