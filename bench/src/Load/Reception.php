<?php

declare(strict_types=1);

namespace Howdah\Bench\Load;

/** What became of requests that came at a constant rate. Latencies are in milliseconds. */
final readonly class Reception
{
    /** A request that the generator sent so much later than it was due tells of the generator. */
    private const LATE_MS = 50.0;

    /** From here on, of one core, we call the generator busy. */
    private const BUSY = 0.9;

    /**
     * @param list<array{float, float}> $answers right ones, in the order of their start: seconds after the first, and latency
     * @param int                       $errors  no answer, or a status that is not 200
     * @param int                       $late    those that had no answer at the end, and those that were not even sent
     */
    private function __construct(
        public Pace $pace,
        public float $seconds,
        public Usage $usage,
        public array $answers,
        public int $errors,
        public int $late,
        private float $lag,
    ) {
    }

    /** @param string $log h2load's, a line for each request that has ended: start in us since 1970, status, us until its end */
    public static function of(Pace $pace, float $seconds, Usage $usage, string $log): self
    {
        preg_match_all('/^(\d+)\t(-?\d+)\t(\d+)$/m', $log, $rows, PREG_SET_ORDER);
        usort($rows, static fn (array $one, array $two): int => $one[1] <=> $two[1]);
        $first = (int) ($rows[0][1] ?? 0);
        $answers = [];
        $lags = [];
        foreach ($rows as $index => [, $start, $status, $took]) {
            $after = ((int) $start - $first) / 1e6;
            $lags[] = ($after - $index / $pace->rate) * 1000;
            if ($status === '200') {
                $answers[] = [$after, (int) $took / 1000];
            }
        }
        $errors = count($rows) - count($answers);
        $late = max(0, $pace->requests($seconds) - count($rows));
        // Who waited for a second sends the next request late: then it tells of the server.
        $slowest = $answers === [] ? INF : max(array_column($answers, 1));
        $quick = $slowest < 1000 / $pace->perClient();
        $lag = $quick && $errors === 0 ? self::quantile($lags, 0.99) : 0.0;

        return new self($pace, $seconds, $usage, $answers, $errors, $late, $lag);
    }

    /** Answers a second, counted until the last one came. */
    public function rate(): float
    {
        $ends = array_map(static fn (array $answer): float => $answer[0] + $answer[1] / 1000, $this->answers);

        return count($this->answers) / max([$this->seconds, ...$ends]);
    }

    /** How many of those that were due had no right answer in time, 0 to 1. */
    public function dropped(): float
    {
        return ($this->errors + $this->late) / $this->pace->requests($this->seconds);
    }

    /**
     * A client that waits longer than its interval asks again when it is answered, and so less often than it should. What it
     * left out counts with what it would have waited ("coordinated omission", corrected as in HdrHistogram).
     *
     * @param float $part of all, 0 to 1; 0.0 when nothing was answered
     */
    public function quantileMs(float $part): float
    {
        $interval = 1000 / $this->pace->perClient();
        $latencies = [];
        foreach ($this->answers as [, $latency]) {
            do {
                $latencies[] = $latency;
                $latency -= $interval;
            } while ($latency >= $interval);
        }

        return self::quantile($latencies, $part);
    }

    /** Whether all were answered, rightly, and all but one in a hundred sooner than that. */
    public function holds(float $limit_ms): bool
    {
        return $this->answers !== [] && $this->errors === 0 && $this->late === 0 && $this->quantileMs(0.99) < $limit_ms;
    }

    /** Why this tells of the generator and not of the server; null when it does not. */
    public function generatorLimit(): ?string
    {
        if ($this->usage->generator >= self::BUSY) {
            return sprintf('was limited by h2load (%.2f of a core)', $this->usage->generator);
        }

        return $this->lag <= self::LATE_MS ? null
            : sprintf('was limited by h2load, which sent requests %.0f ms late (p99)', $this->lag);
    }

    /**
     * The same quantile for each second in which requests were sent.
     *
     * @return array<int, float> by second, from 0
     */
    public function overTimeMs(float $part): array
    {
        $seconds = [];
        foreach ($this->answers as [$start, $latency]) {
            $seconds[(int) $start][] = $latency;
        }
        ksort($seconds);

        return array_map(static fn (array $latencies): float => self::quantile($latencies, $part), $seconds);
    }

    /** @param list<float> $values */
    private static function quantile(array $values, float $part): float
    {
        sort($values);

        return $values === [] ? 0.0 : $values[min(count($values) - 1, (int) floor($part * count($values)))];
    }
}
