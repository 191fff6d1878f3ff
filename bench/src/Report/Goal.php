<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

/** What a figure shall be, beside another contender's or beside a number. */
final readonly class Goal
{
    private function __construct(
        private string $text,
        private Metric $metric,
        private string $of,
        private string|float $to,
        private float $bound,
        private bool $upwards,
    ) {
    }

    /** Shares of another contender's figure, round by round. */
    public static function atLeast(float $bound, string $text, Metric $metric, string $of, string $to): self
    {
        return new self($text, $metric, $of, $to, $bound, true);
    }

    /** Shares of a number that is known without measuring. */
    public static function atLeastOf(float $bound, string $text, Metric $metric, string $of, float $ideal): self
    {
        return new self($text, $metric, $of, $ideal, $bound, true);
    }

    public static function below(float $bound, string $text, Metric $metric, string $of): self
    {
        return new self($text, $metric, $of, 1.0, $bound, false);
    }

    public function judge(Samples $samples): Verdict
    {
        $series = $samples->series($this->of, $this->metric);
        $other = is_string($this->to)
            ? $samples->series($this->to, $this->metric)
            : new Series(array_fill(0, max(1, count($series->values)), $this->to));
        $measured = $series->dividedBy($other);
        $met = $this->upwards ? $measured->median() >= $this->bound : $measured->median() < $this->bound;

        return new Verdict($this->text, $measured, ($this->upwards ? 'at least ' : 'below ') . $this->bound, $met);
    }
}
