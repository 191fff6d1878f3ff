<?php

/** socket_write() of more than the kernel takes, to who does not read; SO_SNDTIMEO is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Sockets;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $socket = Sockets::asked("stall $seconds");
        $data = str_repeat('x', 32 << 20) . "\n";

        return [socket_write($socket, $data) === strlen($data), socket_read($socket, 100)];
    }

    public function limit(float $seconds): mixed
    {
        $socket = Sockets::asked('stall 5');
        socket_set_option($socket, SOL_SOCKET, SO_SNDTIMEO, Sockets::time($seconds));

        return [socket_write($socket, str_repeat('x', 32 << 20)) < 32 << 20, socket_last_error($socket)];
    }
};
