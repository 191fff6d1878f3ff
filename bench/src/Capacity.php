<?php

declare(strict_types=1);

namespace Howdah\Bench;

use RuntimeException;

/**
 * How many realms, how much memory and how many connections a rate of requests needs: the published formulas, with the
 * figures of a measured location. docs/capacity.md tells what they leave out.
 */
final readonly class Capacity
{
    /**
     * @param float $wait seconds that a request is parked
     * @param float $cpu  seconds that it computes
     */
    public function __construct(public float $wait, public float $cpu)
    {
    }

    /** The means of what a page of howdah_status (Prometheus) counted, or counted after an earlier page. */
    public static function measured(string $page, string $before = ''): self
    {
        $sum = static function (string $text, string $name): float {
            preg_match_all("/^howdah_request_{$name}(?:\{[^}]*\})? (\S+)$/m", $text, $found);

            return (float) array_sum(array_map(floatval(...), $found[1]));
        };
        $mean = static function (string $name) use ($page, $before, $sum): float {
            $count = $sum($page, "{$name}_seconds_count") - $sum($before, "{$name}_seconds_count");
            if ($count < 1) {
                $says = "the page has no howdah_request_{$name}_seconds: ask `howdah_status cpu;` under load";
                throw new RuntimeException($says);
            }

            return ($sum($page, "{$name}_seconds_sum") - $sum($before, "{$name}_seconds_sum")) / $count;
        };

        return new self($mean('wait'), $mean('cpu'));
    }

    /** How busy the processors of a node are; 1 and above: it cannot be served. */
    public function utilization(float $rate, int $workers): float
    {
        return $rate * $this->cpu / $workers;
    }

    /**
     * Requests at once: Little's law. What a request computes takes longer the more others compute: the worker as one that
     * is shared (M/G/1 processor sharing: cpu / (1 - utilization)).
     */
    public function atOnce(float $rate, int $workers): float
    {
        $busy = $this->utilization($rate, $workers);
        if ($busy >= 1) {
            throw new RuntimeException(sprintf('%s requests/s need %.2f processors of %d', $rate, $busy * $workers, $workers));
        }

        return $rate * ($this->wait + $this->cpu / (1 - $busy));
    }

    /** The smallest number of realms with which a request waits for one this seldom (M/M/c). */
    public static function realms(float $atOnce, float $seldom = 0.01): int
    {
        for ($realms = max(1, (int) floor($atOnce) + 1); self::erlangC($realms, $atOnce) > $seldom; $realms++) {
        }

        return $realms;
    }

    /** Erlang's C formula: how likely a request has to wait. By the recursion of Erlang's B, which no factorial overflows. */
    public static function erlangC(int $servers, float $atOnce): float
    {
        $b = 1.0;
        for ($i = 1; $i <= $servers; $i++) {
            $b = $atOnce * $b / ($i + $atOnce * $b);
        }

        return $servers <= $atOnce ? 1.0 : $b / (1 - $atOnce / $servers * (1 - $b));
    }

    /**
     * The Universal Scalability Law, X(N) = rate N / (1 + contention (N - 1) + coherency N (N - 1)), by least squares of
     * what was measured: N / X is linear in 1, N - 1 and N (N - 1) (Gunther, Guerrilla Capacity Planning, 2007). Each error
     * counts by its share.
     *
     * @param  array<int, float> $measured throughput by how many were at once
     * @return array{rate: float, contention: float, coherency: float}
     */
    public static function fit(array $measured): array
    {
        if (count($measured) < 3) {
            throw new RuntimeException('three measurements are the least that the law can be fitted to');
        }
        if (min(array_keys($measured)) < 1 || min($measured) <= 0) {
            throw new RuntimeException('a measurement is of one at once or more, and has a throughput above 0');
        }
        $matrix = array_fill(0, 3, array_fill(0, 4, 0.0));
        foreach ($measured as $n => $x) {
            $row = [1.0, $n - 1.0, $n * ($n - 1.0)];
            $weight = ($x / $n) ** 2;
            foreach ($row as $i => $left) {
                foreach ($row as $j => $right) {
                    $matrix[$i][$j] += $weight * $left * $right;
                }
                $matrix[$i][3] += $weight * $left * $n / $x;
            }
        }
        [$a, $b, $c] = self::solve($matrix);

        return ['rate' => 1 / $a, 'contention' => $b / $a, 'coherency' => $c / $a];
    }

    /** @param array{rate: float, contention: float, coherency: float} $law */
    public static function throughput(array $law, float $n): float
    {
        return $law['rate'] * $n / (1 + $law['contention'] * ($n - 1) + $law['coherency'] * $n * ($n - 1));
    }

    /**
     * With so many at once the throughput is highest, which is one at least; INF: it grows on.
     *
     * @param array{rate: float, contention: float, coherency: float} $law
     */
    public static function peak(array $law): float
    {
        return $law['coherency'] <= 0 ? INF : max(1.0, sqrt(max(0.0, 1 - $law['contention']) / $law['coherency']));
    }

    /**
     * @param  array<int, array<int, float>> $matrix three equations
     * @return array{float, float, float}
     */
    private static function solve(array $matrix): array
    {
        for ($i = 0; $i < 3; $i++) {
            for ($k = 0; $k < 3; $k++) {
                $factor = $k === $i ? 0.0 : $matrix[$k][$i] / $matrix[$i][$i];
                foreach ($matrix[$i] as $j => $value) {
                    $matrix[$k][$j] -= $factor * $value;
                }
            }
        }

        return [$matrix[0][3] / $matrix[0][0], $matrix[1][3] / $matrix[1][1], $matrix[2][3] / $matrix[2][2]];
    }
}
