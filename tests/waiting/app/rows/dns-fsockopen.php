<?php

/** fsockopen() to a name; its timeout does not count for the name: the resolver's does, 1 s here (Component\SlowDns). */

declare(strict_types=1);

use Howdah\WaitingTests\App\Names;
use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $stream = fsockopen(Names::slow($seconds), (int) Peer::setting('tcp'));
        fwrite($stream, "echo 0 answer\n");

        return fgets($stream);
    }

    public function limit(float $seconds): mixed
    {
        return [fsockopen(Names::NEVER, 80, $code, $message, $seconds), $code, $message];
    }
};
