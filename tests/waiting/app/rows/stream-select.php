<?php

/** stream_select() on two streams; its timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $early = Peer::asked("echo $seconds early");
        $reads = [Peer::asked('echo 60 late'), $early];
        $none = null;
        $count = stream_select($reads, $none, $none, 60);

        return [$count, count($reads), fgets(reset($reads))];
    }

    public function limit(float $seconds): mixed
    {
        $reads = [Peer::asked('echo 5 late'), Peer::asked('echo 5 later')];
        $none = null;

        return [stream_select($reads, $none, $none, (int) $seconds, (int) (fmod($seconds, 1) * 1_000_000)), $reads];
    }
};
