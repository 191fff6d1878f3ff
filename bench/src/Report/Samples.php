<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

use LogicException;

/** What was measured in a suite: contender, metric, rounds. */
final class Samples
{
    /** @var array<string, array<string, list<float>>> by contender and metric */
    private array $values = [];

    /** @var array<string, array{Curve, array<string, array<int|string, list<float>>>}> by name; contender, place, rounds */
    private array $curves = [];

    /** @var array<string, string> by contender */
    private array $doubts = [];

    public function add(string $contender, Metric $metric, float $value): void
    {
        $this->values[$contender][$metric->value][] = $value;
    }

    /** @param float $across where on the curve; the same place in each round */
    public function point(Curve $curve, string $contender, float $across, float $value): void
    {
        $this->curves[$curve->name] ??= [$curve, []];
        $this->curves[$curve->name][1][$contender][(string) $across][] = $value;
    }

    /** @param string $why its figures are not its own, as what comes after its name */
    public function doubt(string $contender, string $why): void
    {
        $this->doubts[$contender] = $why;
    }

    /** @return array<string, string> why contenders' figures are not believed */
    public function doubts(): array
    {
        return $this->doubts;
    }

    /** Nothing of it is to be shown. */
    public function drop(string $contender): void
    {
        unset($this->values[$contender], $this->doubts[$contender]);
        foreach (array_keys($this->curves) as $name) {
            unset($this->curves[$name][1][$contender]);
        }
    }

    /** @return list<Curve> those with points */
    public function curves(): array
    {
        $some = array_filter($this->curves, static fn (array $curve): bool => $curve[1] !== []);

        return array_values(array_map(static fn (array $curve): Curve => $curve[0], $some));
    }

    /** @return array<string, non-empty-list<array{float, Series}>> by contender: places, in their order */
    public function points(Curve $curve): array
    {
        $lines = [];
        foreach ($this->curves[$curve->name][1] ?? [] as $contender => $points) {
            ksort($points, SORT_NUMERIC);
            foreach ($points as $across => $rounds) {
                $lines[$contender][] = [(float) $across, new Series($rounds)];
            }
        }

        return $lines;
    }

    public function series(string $contender, Metric $metric): Series
    {
        $values = $this->values[$contender][$metric->value]
            ?? throw new LogicException("$contender: $metric->value was not measured");

        return new Series($values);
    }

    public function has(string $contender, Metric $metric): bool
    {
        return isset($this->values[$contender][$metric->value]);
    }

    /** @return list<string> in the order in which they were measured */
    public function contenders(): array
    {
        return array_keys($this->values);
    }

    /** @return list<Metric> those that somebody has */
    public function metrics(): array
    {
        $present = array_merge(...array_values($this->values));

        return array_values(array_filter(Metric::cases(), fn (Metric $one) => isset($present[$one->value])));
    }
}
