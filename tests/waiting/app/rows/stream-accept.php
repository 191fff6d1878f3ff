<?php

/** stream_socket_accept() of a server that the request itself is; its timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $server = stream_socket_server('tcp://127.0.0.1:0');
        $port = substr(strrchr(stream_socket_get_name($server, false), ':'), 1);
        Peer::asked("call $seconds $port hello");

        return fgets(stream_socket_accept($server, 60));
    }

    public function limit(float $seconds): mixed
    {
        return stream_socket_accept(stream_socket_server('tcp://127.0.0.1:0'), $seconds);
    }
};
