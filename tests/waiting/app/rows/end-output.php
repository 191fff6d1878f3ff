<?php

/** For EndTest: the callback of an output buffer waits when the request ends. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        ob_start(static function (string $text) use ($seconds): string {
            usleep((int) ($seconds * 1_000_000));

            return $text . ' and more';
        });

        return 'early';
    }
};
