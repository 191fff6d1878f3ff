<?php

/** socket_read() of a line that comes in two parts; SO_RCVTIMEO is the limit, but not of PHP_NORMAL_READ. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Sockets;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return socket_read(Sockets::asked("halves $seconds in two parts"), 100, PHP_NORMAL_READ);
    }

    public function limit(float $seconds): mixed
    {
        $socket = Sockets::asked('echo 5 late');
        socket_set_option($socket, SOL_SOCKET, SO_RCVTIMEO, Sockets::time($seconds));

        return [socket_read($socket, 100), socket_last_error($socket)];
    }
};
