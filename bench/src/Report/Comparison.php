<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

use Howdah\Cli\Failure;

/**
 * Two runs' results.json beside each other: what changed, and what of that is more than the rounds' spread.
 *
 * Figures of two runs are only as comparable as their machines: what differs of these is said first.
 */
final readonly class Comparison
{
    /** Facts of a machine that differ between any two runs. */
    private const PASSING = ['date', 'howdah', 'load average at start'];

    /**
     * @param array<mixed> $before
     * @param array<mixed> $after
     */
    private function __construct(private array $before, private array $after)
    {
    }

    public static function read(string $before, string $after): self
    {
        return new self(self::results($before), self::results($after));
    }

    public function markdown(): string
    {
        $lines = ["- before: {$this->origin($this->before)}", "- after: {$this->origin($this->after)}"];
        foreach ($this->differences() as $fact => [$one, $two]) {
            $lines[] = "- **differs:** $fact: $one; then $two";
        }
        $before = $this->suites($this->before);
        $after = $this->suites($this->after);
        foreach (array_intersect_key($after, $before) as $name => $suite) {
            $lines = [...$lines, '', "### $name", '', ...$this->suite($before[$name], $suite)];
        }
        foreach (['before' => array_diff_key($before, $after), 'after' => array_diff_key($after, $before)] as $run => $only) {
            if ($only !== []) {
                $lines = [...$lines, '', "Only $run: " . implode(', ', array_keys($only))];
            }
        }

        return implode("\n", $lines) . "\n";
    }

    /**
     * @param array<mixed> $before
     * @param array<mixed> $after
     *
     * @return list<string>
     */
    private function suite(array $before, array $after): array
    {
        foreach (['before' => $before, 'after' => $after] as $run => $suite) {
            if (isset($suite['failure'])) {
                return ["Not compared: it failed $run: " . self::text($suite['failure'])];
            }
        }
        $lines = ['| | | before | after | after / before | |', '|---|---|---:|---:|---:|---|'];
        $figures = self::map($before['figures'] ?? null);
        foreach (self::map($after['figures'] ?? null) as $contender => $metrics) {
            foreach (self::map($metrics) as $name => $series) {
                $metric = Metric::tryFrom((string) $name);
                $old = self::rounds(self::map($figures[$contender] ?? null)[$name] ?? null);
                $new = self::rounds($series);
                if ($metric !== null && $metric->isCompared() && $old !== null && $new !== null) {
                    $lines[] = "| $contender | {$metric->heading()} | " . $this->row($metric, $old, $new) . ' |';
                }
            }
        }

        return $lines;
    }

    private function row(Metric $metric, Series $old, Series $new): string
    {
        $figure = static fn (Series $series): string => $metric->format($series->median())
            . " ({$metric->format($series->smallest())}-{$metric->format($series->largest())})";
        $apart = $new->smallest() > $old->largest() || $new->largest() < $old->smallest();
        $ratio = $old->median() == 0.0 ? '' : sprintf('%.2f', $new->median() / $old->median());

        $word = match (true) {
            max(count($old->values), count($new->values)) === 1 => 'one round each: no spread is known',
            $apart => 'changed',
            default => 'within the spread',
        };

        return "{$figure($old)} | {$figure($new)} | $ratio | $word";
    }

    /** @return array<string, array{string, string}> */
    private function differences(): array
    {
        $before = self::map($this->before['machine'] ?? null);
        $after = self::map($this->after['machine'] ?? null);
        $different = [];
        foreach ($before + $after as $fact => $value) {
            $pair = [self::text($before[$fact] ?? 'not told'), self::text($after[$fact] ?? 'not told')];
            if ($pair[0] !== $pair[1] && !in_array($fact, self::PASSING, true)) {
                $different[(string) $fact] = $pair;
            }
        }

        return $different;
    }

    /** @param array<mixed> $results */
    private function origin(array $results): string
    {
        $machine = self::map($results['machine'] ?? null);

        return self::text($machine['howdah'] ?? 'unknown') . ', ' . self::text($machine['date'] ?? 'at an unknown time')
            . ', load average ' . self::text($machine['load average at start'] ?? 'unknown');
    }

    /**
     * @param array<mixed> $results
     *
     * @return array<string, array<mixed>> by name
     */
    private function suites(array $results): array
    {
        $named = [];
        foreach (self::map($results['suites'] ?? null) as $suite) {
            $suite = self::map($suite);
            $named[self::text($suite['name'] ?? '')] = $suite;
        }

        return $named;
    }

    /** @return array<mixed> */
    private static function results(string $file): array
    {
        $results = json_decode((string) @file_get_contents($file), true);
        if (!is_array($results) || !is_array($results['suites'] ?? null)) {
            throw new Failure("$file is no results.json of a bench: give two files that `bench/run` wrote");
        }

        return $results;
    }

    private static function rounds(mixed $series): ?Series
    {
        $rounds = self::map(self::map($series)['rounds'] ?? null);
        $values = array_filter($rounds, static fn ($one) => is_int($one) || is_float($one));

        return $values === [] ? null : new Series(array_map(floatval(...), array_values($values)));
    }

    /** @return array<mixed> */
    private static function map(mixed $value): array
    {
        return is_array($value) ? $value : [];
    }

    private static function text(mixed $value): string
    {
        return is_scalar($value) ? (string) $value : (string) json_encode($value);
    }
}
