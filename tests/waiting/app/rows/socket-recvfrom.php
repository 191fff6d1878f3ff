<?php

/** socket_recvfrom() of a datagram; SO_RCVTIMEO is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Sockets;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $socket = $this->asked("echo $seconds datagram");
        $count = socket_recvfrom($socket, $data, 100, 0, $address, $port);

        return [$count, $data, $address, $port === (int) Peer::setting('udp')];
    }

    public function limit(float $seconds): mixed
    {
        $socket = $this->asked('echo 5 late');
        socket_set_option($socket, SOL_SOCKET, SO_RCVTIMEO, Sockets::time($seconds));

        return [socket_recvfrom($socket, $data, 100, 0, $address, $port), socket_last_error($socket)];
    }

    private function asked(string $question): Socket
    {
        $socket = socket_create(AF_INET, SOCK_DGRAM, SOL_UDP);
        socket_sendto($socket, $question, strlen($question), 0, '127.0.0.1', (int) Peer::setting('udp'));

        return $socket;
    }
};
