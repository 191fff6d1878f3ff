<?php

/** For SpinTest: a sort that calls no PHP code, of a list that takes at least so long, and from when to when. Nothing waits. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        mt_srand(7);
        // On a machine that is busy at first a list twice or four times as long is wanted.
        $before = ini_set('memory_limit', '1G');
        for ($size = 10_000, $took = 0; $took < $seconds; $size *= 2) {
            $list = array_map('strval', range(1, $size));
            shuffle($list);
            $start = hrtime(true);
            sort($list, SORT_NATURAL);
            $end = hrtime(true);
            $took = ($end - $start) / 1e9;
        }
        $least = array_slice($list, 0, 2);
        unset($list);
        ini_set('memory_limit', $before);

        return [...$least, $start, $end];
    }
};
