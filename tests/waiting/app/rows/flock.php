<?php

/** flock() of a file that another process has. It has no time limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Holder;
use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $file = Holder::file();
        $holder = Holder::hold('flock', $file, $seconds);
        $stream = fopen($file, 'c+');
        $locked = flock($stream, LOCK_EX, $wouldBlock);
        $written = fwrite($stream, 'mine');

        return [$locked, $wouldBlock, $written, flock($stream, LOCK_UN), fclose($holder)];
    }
};
