<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

/** How one figure grows with another. */
final class Fit
{
    /**
     * The power with which the second grows with the first: 1.0 in proportion, 0.0 not at all. A line through logarithms.
     *
     * @param list<array{float, float}> $points of what is above 0
     *
     * @return float|null when there are not two places
     */
    public static function exponent(array $points): ?float
    {
        $x = array_map(static fn (array $point): float => log($point[0]), $points);
        $y = array_map(static fn (array $point): float => log($point[1]), $points);
        $count = max(1, count($points));
        $meanX = array_sum($x) / $count;
        $meanY = array_sum($y) / $count;
        $both = $own = 0.0;
        foreach ($x as $index => $value) {
            $both += ($value - $meanX) * ($y[$index] - $meanY);
            $own += ($value - $meanX) ** 2;
        }

        return $own > 0.0 ? $both / $own : null;
    }
}
