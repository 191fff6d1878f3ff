<?php

declare(strict_types=1);

namespace Howdah\Bench\Load;

use Closure;

/** Looks for the highest rate that is held: doubles or halves until it has one that is and one that is not, then bisects. */
final readonly class Search
{
    /** Below there is nothing to be learnt. */
    private const LEAST = 1.0;

    /** The rate that is not held any more may be so many times the one that is. */
    private const PRECISION = 1.1;

    /** What was held for a short while and then was not is tried again with so much less, and so often. */
    private const STEP_BACK = 0.93;
    private const STEPS_BACK = 8;

    /**
     * @param float                $start   where to begin
     * @param float                $most    where to end
     * @param Closure(float): bool $holds   a short try
     * @param Closure(float): bool $confirm a longer one
     *
     * @return float 0.0 when no rate is held
     */
    public static function highest(float $start, float $most, Closure $holds, Closure $confirm): float
    {
        [$low, $high] = self::bracket($start, $most, $holds);
        while ($low > 0.0 && $high / $low > self::PRECISION) {
            $middle = sqrt($low * $high);
            if ($holds($middle)) {
                $low = $middle;
            } else {
                $high = $middle;
            }
        }
        for ($step = 0; $step < self::STEPS_BACK && $low >= self::LEAST; $step++) {
            if ($confirm($low)) {
                return $low;
            }
            $low *= self::STEP_BACK;
        }

        return 0.0;
    }

    /**
     * @param Closure(float): bool $holds
     *
     * @return array{float, float} a rate that is held, or 0.0, and one that is not
     */
    private static function bracket(float $start, float $most, Closure $holds): array
    {
        $rate = $start;
        if ($holds($rate)) {
            while ($rate < $most) {
                $next = min($rate * 2, $most);
                if (!$holds($next)) {
                    return [$rate, $next];
                }
                $rate = $next;
            }

            return [$rate, $rate];
        }
        while ($rate / 2 >= self::LEAST) {
            $rate /= 2;
            if ($holds($rate)) {
                return [$rate, $rate * 2];
            }
        }

        return [0.0, $rate];
    }
}
