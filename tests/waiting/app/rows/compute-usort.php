<?php

/** For SpinTest: C code that calls PHP code all the time. Nothing waits: there is nothing to limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Computing;
use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $computing = new Computing($seconds);
        mt_srand(7);
        $list = range(1, 50_000);
        $right = true;
        do {
            shuffle($list);
            usort($list, static fn (int $a, int $b): int => $a <=> $b);
            $right = $right && $list === range(1, 50_000);
        } while ($computing->goesOn());

        return $right;
    }
};
