<?php

/** flock() for reading while another process writes, and file_put_contents() while it reads. They have no time limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Holder;
use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $file = Holder::file();
        $reader = Holder::hold('flock-shared', $file, $seconds / 2);
        $stream = fopen($file, 'r');
        $shared = flock($stream, LOCK_SH);
        fclose($stream);
        $written = file_put_contents($file, 'mine', LOCK_EX);
        $writer = Holder::hold('flock', $file, $seconds / 2);
        $stream = fopen($file, 'r');

        return [$shared, $written, flock($stream, LOCK_SH), fread($stream, 100), fclose($reader), fclose($writer)];
    }
};
