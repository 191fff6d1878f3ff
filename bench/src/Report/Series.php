<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

use InvalidArgumentException;

/** One value from each round. */
final readonly class Series
{
    /** @param list<float> $values never empty */
    public function __construct(public array $values)
    {
        if ($values === []) {
            throw new InvalidArgumentException('a series without values');
        }
    }

    public function median(): float
    {
        $sorted = $this->values;
        sort($sorted);
        $middle = intdiv(count($sorted), 2);

        return count($sorted) % 2 === 1 ? $sorted[$middle] : ($sorted[$middle - 1] + $sorted[$middle]) / 2;
    }

    /** Of the last round. */
    public function last(): float
    {
        return $this->values === [] ? 0.0 : $this->values[array_key_last($this->values)];
    }

    public function smallest(): float
    {
        return $this->values === [] ? 0.0 : min($this->values);
    }

    public function largest(): float
    {
        return $this->values === [] ? 0.0 : max($this->values);
    }

    /** Round by round: what disturbed the machine in a round disturbed both. */
    public function dividedBy(self $other): self
    {
        return new self(array_map(fn (float $one, float $two) => $one / $two, $this->values, $other->values));
    }

    /** @return array{median: float, min: float, max: float, rounds: list<float>} */
    public function toArray(): array
    {
        $rounded = fn (float $value): float => round($value, 4);

        return [
            'median' => $rounded($this->median()),
            'min' => $rounded($this->smallest()),
            'max' => $rounded($this->largest()),
            'rounds' => array_map($rounded, $this->values),
        ];
    }
}
