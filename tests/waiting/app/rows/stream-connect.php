<?php

/** stream_socket_client() to who takes no connections; its timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $stream = stream_socket_client('tcp://127.0.0.1:' . Peer::jam($seconds));
        fwrite($stream, "echo 0 in\n");

        return fgets($stream);
    }

    public function limit(float $seconds): mixed
    {
        $stream = @stream_socket_client('tcp://127.0.0.1:' . Peer::jam(5), $code, $message, $seconds);

        return [$stream, $code, $message];
    }
};
