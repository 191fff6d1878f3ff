<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

/** From a number to its place on a line, and the round numbers to write beside it. */
final readonly class Axis
{
    private const MARKS = 5;

    private float $step;
    private float $from;
    private float $to;

    /** @param bool $logarithmic $least is above 0 then */
    public function __construct(float $least, float $most, private bool $logarithmic)
    {
        if ($logarithmic) {
            $this->step = 10.0;
            $this->from = 10 ** floor(log10($least));
            $this->to = max($this->from * 10, 10 ** ceil(log10($most)));
        } else {
            $raw = max($most - $least, 1e-9) / self::MARKS;
            $magnitude = 10 ** floor(log10($raw));
            $step = $magnitude * 10;
            foreach ([5, 2, 1] as $times) {
                $step = $magnitude * $times >= $raw ? $magnitude * $times : $step;
            }
            $this->step = $step;
            $this->from = floor($least / $step) * $step;
            $this->to = max($this->from + $step, ceil($most / $step) * $step);
        }
    }

    /** 0 at its beginning, 1 at its end. */
    public function part(float $value): float
    {
        if ($this->logarithmic) {
            return log($value / $this->from) / log($this->to / $this->from);
        }

        return ($value - $this->from) / ($this->to - $this->from);
    }

    /** @return list<float> */
    public function marks(): array
    {
        $marks = [];
        for ($mark = $this->from; $mark <= $this->to * 1.000001;) {
            $marks[] = $mark;
            $mark = $this->logarithmic ? $mark * $this->step : $mark + $this->step;
        }

        return $marks;
    }
}
