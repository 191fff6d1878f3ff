<?php

/** `php full.php PORT`: takes no connections. Its backlog is full, so the kernel drops what knocks and connect() waits. */

declare(strict_types=1);

/** @var list<string> $argv */
$socket = socket_create(AF_INET, SOCK_STREAM, 0);
if ($socket === false || !socket_bind($socket, '127.0.0.1', (int) $argv[1]) || !socket_listen($socket, 0)) {
    exit(1);
}
$waiting = [];
for ($i = 0; $i < 4; $i++) {
    $waiting[] = stream_socket_client("tcp://127.0.0.1:$argv[1]", flags: STREAM_CLIENT_CONNECT | STREAM_CLIENT_ASYNC_CONNECT);
}
touch('ready');
for (;;) {
    sleep(60);
}
