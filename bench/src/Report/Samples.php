<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

use LogicException;

/** What was measured in a suite: contender, metric, rounds. */
final class Samples
{
    /** @var array<string, array<string, list<float>>> by contender and metric */
    private array $values = [];

    public function add(string $contender, Metric $metric, float $value): void
    {
        $this->values[$contender][$metric->value][] = $value;
    }

    /** Nothing of it is to be shown. */
    public function drop(string $contender): void
    {
        unset($this->values[$contender]);
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
