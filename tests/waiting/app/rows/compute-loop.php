<?php

/** For SpinTest: PHP code that computes for so long, always the same. Nothing waits: there is nothing to limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $until = hrtime(true) + $seconds * 1e9;
        $results = [];
        do {
            $value = 1;
            for ($step = 0; $step < 10_000; $step++) {
                $value = ($value * 1_103_515_245 + 12_345) & 0x7fffffff;
            }
            $results[$value] = true;
        } while (hrtime(true) < $until);

        return array_keys($results);
    }
};
