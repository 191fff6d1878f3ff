<?php

/** socket_connect() to who takes no connections; SO_SNDTIMEO is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Sockets;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $socket = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);

        $connected = socket_connect($socket, '127.0.0.1', Peer::jam($seconds));
        socket_write($socket, "echo 0 in\n");

        return [$connected, socket_read($socket, 100)];
    }

    public function limit(float $seconds): mixed
    {
        $socket = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
        socket_set_option($socket, SOL_SOCKET, SO_SNDTIMEO, Sockets::time($seconds));

        return [socket_connect($socket, '127.0.0.1', Peer::jam(5)), socket_last_error($socket)];
    }
};
