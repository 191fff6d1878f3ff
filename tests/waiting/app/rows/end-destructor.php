<?php

/** For EndTest: the destructor of an object that lives as long as the request waits. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $GLOBALS['kept'] = new class ($seconds) {
            public function __construct(private readonly float $seconds)
            {
            }

            public function __destruct()
            {
                usleep((int) ($this->seconds * 1_000_000));
                echo ' and more';
            }
        };

        return 'early';
    }
};
