<?php

/** AMPHP: two sockets read by two fibers; a TimeoutCancellation is the limit. */

declare(strict_types=1);

use Amp\Socket\ConnectContext;
use Amp\TimeoutCancellation;
use Howdah\WaitingTests\App\Libraries;
use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        Libraries::load();
        $address = '127.0.0.1:' . Peer::setting('tcp');
        $ask = static function (string $question) use ($address): ?string {
            $socket = Amp\Socket\connect($address);
            $socket->write("$question\n");

            return $socket->read();
        };

        return Amp\Future\await([Amp\async($ask, "echo $seconds one"), Amp\async($ask, "echo $seconds two")]);
    }

    public function limit(float $seconds): mixed
    {
        Libraries::load();
        $socket = Amp\Socket\connect('127.0.0.1:' . Peer::setting('tcp'));
        $socket->write("echo 5 late\n");

        return $socket->read(new TimeoutCancellation($seconds));
    }
};
