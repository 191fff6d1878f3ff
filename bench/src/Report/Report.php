<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

use Howdah\Bench\Machine\Machine;

/** All results of a run, as Markdown for people and as JSON for programs. */
final readonly class Report
{
    /**
     * @param array<string, string> $settings
     * @param list<Result>          $results
     */
    public function __construct(private Machine $machine, private array $settings, private array $results)
    {
    }

    public function markdown(): string
    {
        $lines = [];
        foreach ([...$this->machine->facts, ...$this->settings] as $name => $value) {
            $lines[] = "- $name: $value";
        }
        foreach ($this->results as $result) {
            $lines = [...$lines, '', "### $result->name: $result->title", '', ...$this->suite($result)];
        }

        return implode("\n", $lines) . "\n";
    }

    /** @return array<string, string> SVG by file name without its end */
    public function charts(): array
    {
        $facts = $this->machine->facts;
        $footer = implode(', ', array_intersect_key($facts, ['processor' => 1, 'PHP' => 1, 'howdah' => 1, 'date' => 1]));
        $charts = [];
        foreach ($this->results as $result) {
            $charts += array_map(static fn (Chart $chart) => $chart->svg(), Chart::of($result, $footer));
            $charts += array_map(static fn (LineChart $chart) => $chart->svg(), LineChart::of($result, $footer));
        }

        $results = json_decode($this->json(), true);
        $overview = is_array($results) ? Overview::of($results) : null;

        return $charts + ($overview === null ? [] : ['overview' => $overview->svg()]);
    }

    public function json(): string
    {
        return json_encode([
            'machine' => $this->machine->facts,
            'settings' => $this->settings,
            'suites' => array_map($this->suiteAsArray(...), $this->results),
        ], JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR) . "\n";
    }

    /** @return list<string> */
    private function suite(Result $result): array
    {
        if ($result->samples === null) {
            return ["No figures: " . ($result->failure ?? implode(' ', $result->notes))];
        }
        $lines = $result->samples->contenders() === [] ? ['No figures.'] : $this->figures($result->samples);
        if ($result->verdicts !== []) {
            $lines = [...$lines, '', '| goal | bound | measured | |', '|---|---|---:|---|'];
        }
        foreach ($result->verdicts as $verdict) {
            $measured = $verdict->measured === null ? '' : $this->withSpread($verdict->measured, $this->significant(...));
            $lines[] = "| $verdict->goal | $verdict->bound | $measured | {$verdict->word()} |";
        }
        $remarks = [...array_map(fn (string $failure) => "**Failed:** $failure", $result->failures), ...$result->notes];
        if ($remarks !== []) {
            $lines = [...$lines, '', ...array_map(fn (string $remark) => "- $remark", $remarks)];
        }

        return $lines;
    }

    /** @return list<string> */
    private function figures(Samples $samples): array
    {
        $metrics = $samples->metrics();
        $lines = [
            '| | ' . implode(' | ', array_map(fn (Metric $metric) => $metric->heading(), $metrics)) . ' |',
            '|---|' . str_repeat('---:|', count($metrics)),
        ];
        foreach ($samples->contenders() as $contender) {
            $cells = [$contender];
            foreach ($metrics as $metric) {
                $measured = $samples->has($contender, $metric);
                $cells[] = $measured ? $this->figure($samples->series($contender, $metric), $metric) : '';
            }
            $lines[] = '| ' . implode(' | ', $cells) . ' |';
        }

        return $lines;
    }

    private function figure(Series $series, Metric $metric): string
    {
        return $metric->isCompared()
            ? $this->withSpread($series, $metric->format(...))
            : $metric->format($series->median());
    }

    /** @param callable(float): string $format */
    private function withSpread(Series $series, callable $format): string
    {
        return "{$format($series->median())} ({$format($series->smallest())}-{$format($series->largest())})";
    }

    private function significant(float $value): string
    {
        return number_format($value, $value >= 100 ? 0 : ($value >= 10 ? 1 : 2));
    }

    /** @return array<string, mixed> */
    private function suiteAsArray(Result $result): array
    {
        $figures = [];
        foreach ($result->samples?->contenders() ?? [] as $contender) {
            foreach ($result->samples?->metrics() ?? [] as $metric) {
                if ($result->samples?->has($contender, $metric) === true) {
                    $figures[$contender][$metric->value] = $result->samples->series($contender, $metric)->toArray();
                }
            }
        }
        $curves = [];
        foreach ($result->samples?->curves() ?? [] as $curve) {
            $lines = [];
            foreach ($result->samples?->points($curve) ?? [] as $contender => $line) {
                foreach ($line as [$across, $series]) {
                    $lines[$contender][] = ['at' => $across] + $series->toArray();
                }
            }
            $curves[$curve->name] = ['across' => $curve->across, 'up' => $curve->up, 'lines' => $lines];
        }
        $verdict = fn (Verdict $one): array => [
            'goal' => $one->goal,
            'bound' => $one->bound,
            'measured' => $one->measured?->toArray(),
            'verdict' => $one->word(),
        ];

        return array_filter([
            'name' => $result->name,
            'title' => $result->title,
            'failure' => $result->failure,
            'failures' => $result->failures,
            'figures' => $figures,
            'curves' => $curves,
            'goals' => array_map($verdict, $result->verdicts),
            'notes' => $result->notes,
        ], fn (mixed $value) => $value !== null && $value !== []);
    }
}
