<?php

/** For SpinTest: the same pattern with the limits that PHP has by itself, and how long. $seconds do not count. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $longest = 0;
        foreach (['0', '1'] as $jit) {
            $before = ini_set('pcre.jit', $jit);
            $start = hrtime(true);
            $found = preg_match('/^(a+)+$/', str_repeat('a', 5000) . 'b');
            $longest = max($longest, (hrtime(true) - $start) / 1e9);
            $told[] = [$found, preg_last_error_msg()];
            ini_set('pcre.jit', $before);
        }

        return [...$told, $longest];
    }
};
