<?php

/** socket_recv() with MSG_WAITALL of what comes in two parts; SO_RCVTIMEO is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Sockets;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return [socket_recv(Sockets::asked("halves $seconds 0123456789"), $data, 10, MSG_WAITALL), $data];
    }

    public function limit(float $seconds): mixed
    {
        $socket = Sockets::asked('halves 5 0123456789');
        socket_set_option($socket, SOL_SOCKET, SO_RCVTIMEO, Sockets::time($seconds));

        return [socket_recv($socket, $data, 10, MSG_WAITALL), $data, socket_last_error($socket)];
    }
};
