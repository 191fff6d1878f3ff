<?php

/** It waits as long as it is told: there is nothing to limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        usleep((int) round($seconds * 1_000_000));

        return time_nanosleep(0, 1_000_000);
    }
};
