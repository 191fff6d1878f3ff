<?php

/** fgets() of what a child of popen() says later. A pipe of popen() has no time limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $process = popen("echo one; sleep $seconds; echo two", 'r');

        return [fgets($process), fgets($process), fgets($process), pclose($process)];
    }
};
