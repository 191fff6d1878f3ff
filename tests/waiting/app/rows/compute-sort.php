<?php

/** For SpinTest: a sort that calls no PHP code, of a list that takes at least so long, and from when to when. Nothing waits. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        mt_srand(7);
        for ($size = 10_000, $took = 0; $took < $seconds; $size *= 2) {
            $list = array_map('strval', range(1, $size));
            shuffle($list);
            $start = hrtime(true);
            sort($list, SORT_NATURAL);
            $end = hrtime(true);
            $took = ($end - $start) / 1e9;
        }

        return [$list[0], $list[1], $start, $end];
    }
};
