<?php

/**
 * For SpinTest: the same pattern with the limits that PHP has by itself, and what
 * that took of a processor. $seconds do not count.
 */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $longest = 0;
        foreach (['0', '1'] as $jit) {
            $before = ini_set('pcre.jit', $jit);
            $start = $this->processorSeconds();
            $found = preg_match('/^(a+)+$/', str_repeat('a', 5000) . 'b');
            $longest = max($longest, $this->processorSeconds() - $start);
            $told[] = [$found, preg_last_error_msg()];
            ini_set('pcre.jit', $before);
        }

        return [...$told, $longest];
    }

    private function processorSeconds(): float
    {
        $usage = getrusage() ?: [];
        $seconds = $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec'];

        return $seconds + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e6;
    }
};
