<?php

/** sysvmsg: msg_receive() until another process sends. It has no time limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Holder;
use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $key = random_int(1, PHP_INT_MAX >> 33);
        $holder = Holder::hold('message', $key, $seconds);
        $queue = msg_get_queue($key);
        $received = msg_receive($queue, 0, $type, 1000, $message, true, 0, $error);

        return [$received, $type, $message, $error, fclose($holder)];
    }
};
