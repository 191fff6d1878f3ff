<?php

/** socket_recv(); SO_RCVTIMEO is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Sockets;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return [socket_recv(Sockets::asked("echo $seconds answer"), $data, 100, 0), $data];
    }

    public function limit(float $seconds): mixed
    {
        $socket = Sockets::asked('echo 5 late');
        socket_set_option($socket, SOL_SOCKET, SO_RCVTIMEO, Sockets::time($seconds));

        return [socket_recv($socket, $data, 100, 0), $data, socket_last_error($socket)];
    }
};
