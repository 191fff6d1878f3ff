<?php

/** For SpinTest: a pattern that backtracks for at least so long, and from when to when. Nothing waits: there is nothing to limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $before = [ini_set('pcre.backtrack_limit', '1000000000'), ini_set('pcre.jit', '0')];
        for ($length = 15, $took = 0; $took < $seconds; $length++) {
            $start = hrtime(true);
            // Twice as long with each letter more.
            $found = preg_match('/^(a+)+$/', str_repeat('a', $length) . 'b');
            $end = hrtime(true);
            $took = ($end - $start) / 1e9;
        }
        ini_set('pcre.backtrack_limit', $before[0]);
        ini_set('pcre.jit', $before[1]);

        return [$found, preg_last_error_msg(), $start, $end];
    }
};
