<?php

/** pclose() of a child that closes its output and lives on. It has no time limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $process = popen("echo said; exec >&- 2>&-; sleep $seconds; exit 3", 'r');

        return [stream_get_contents($process), feof($process), pclose($process)];
    }
};
