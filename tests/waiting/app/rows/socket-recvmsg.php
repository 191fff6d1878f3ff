<?php

/** socket_recvmsg(); SO_RCVTIMEO is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Sockets;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $message = ['name' => [], 'buffer_size' => 100, 'controllen' => 100];

        return [socket_recvmsg(Sockets::asked("echo $seconds answer"), $message), $message['iov']];
    }

    public function limit(float $seconds): mixed
    {
        $socket = Sockets::asked('echo 5 late');
        socket_set_option($socket, SOL_SOCKET, SO_RCVTIMEO, Sockets::time($seconds));
        $message = ['name' => [], 'buffer_size' => 100, 'controllen' => 100];

        return [socket_recvmsg($socket, $message), socket_last_error($socket)];
    }
};
