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
        private ?Metric $per = null,
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

    /** A share of another contender's figure, round by round, that shall not be reached. */
    public static function belowOf(float $bound, string $text, Metric $metric, string $of, string $to): self
    {
        return new self($text, $metric, $of, $to, $bound, false);
    }

    public static function below(float $bound, string $text, Metric $metric, string $of): self
    {
        return new self($text, $metric, $of, 1.0, $bound, false);
    }

    /** One figure of a contender, divided by another of its own. */
    public static function belowTimes(float $bound, string $text, Metric $metric, Metric $per, string $of): self
    {
        return new self($text, $metric, $of, 1.0, $bound, false, $per);
    }

    /** @param array<string, string> $unbelieved contenders whose figures say nothing, and why */
    public function judge(Samples $samples, array $unbelieved = []): Verdict
    {
        $bound = ($this->upwards ? 'at least ' : 'below ') . $this->bound;
        foreach (is_string($this->to) ? [$this->of, $this->to] : [$this->of] as $name) {
            $reason = $unbelieved[$name] ?? ($samples->has($name, $this->metric) ? null : 'was not measured');
            if ($reason !== null) {
                return Verdict::refused($this->text, $bound, "$name $reason");
            }
        }
        $series = $samples->series($this->of, $this->metric);
        $other = match (true) {
            $this->per !== null => $samples->series($this->of, $this->per),
            is_string($this->to) => $samples->series($this->to, $this->metric),
            default => new Series(array_fill(0, max(1, count($series->values)), $this->to)),
        };
        $measured = $series->dividedBy($other);
        $met = $this->upwards ? $measured->median() >= $this->bound : $measured->median() < $this->bound;

        return Verdict::of($this->text, $bound, $measured, $met);
    }
}
