<?php

/** For EndTest: a shutdown function waits, and what it says belongs to the response. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        register_shutdown_function(static function () use ($seconds): void {
            usleep((int) ($seconds * 1_000_000));
            echo ' and more';
        });

        return 'early';
    }
};
