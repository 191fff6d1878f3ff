<?php

/** socket_accept(); SO_RCVTIMEO is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Sockets;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $server = socket_create_listen(0);
        socket_getsockname($server, $address, $port);
        Peer::asked("call $seconds $port hello");

        return socket_read(socket_accept($server), 100);
    }

    public function limit(float $seconds): mixed
    {
        $server = socket_create_listen(0);
        socket_set_option($server, SOL_SOCKET, SO_RCVTIMEO, Sockets::time($seconds));

        return [socket_accept($server), socket_last_error($server)];
    }
};
