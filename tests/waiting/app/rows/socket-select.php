<?php

/** socket_select() on two sockets; its timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Sockets;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $reads = [Sockets::asked('echo 60 late'), Sockets::asked("echo $seconds early")];
        $none = null;
        $count = socket_select($reads, $none, $none, 60);

        return [$count, array_keys($reads), socket_read(reset($reads), 100)];
    }

    public function limit(float $seconds): mixed
    {
        $reads = [Sockets::asked('echo 5 late'), Sockets::asked('echo 5 later')];
        $none = null;

        return [socket_select($reads, $none, $none, (int) $seconds, (int) (fmod($seconds, 1) * 1_000_000)), $reads];
    }
};
