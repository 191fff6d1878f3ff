<?php

/** For SpinTest: PHP code that computes for so long (App\Computing), always the same. Nothing waits: there is nothing to limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Computing;
use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $computing = new Computing($seconds);
        $results = [];
        do {
            $value = 1;
            for ($step = 0; $step < 10_000; $step++) {
                $value = ($value * 1_103_515_245 + 12_345) & 0x7fffffff;
            }
            $results[$value] = true;
        } while ($computing->goesOn());

        return array_keys($results);
    }
};
