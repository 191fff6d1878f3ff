<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

/** One metric of a suite as horizontal bars, medians with a line from the smallest to the largest: SVG, readable without us. */
final readonly class Chart
{
    /** Of a label's letter, on average and a little more; for the longest there is. */
    private const LETTER = 7;
    private const VALUE = 110;
    private const ROW = 30;
    private const BAR = 18;
    private const TOP = 58;

    /** Drawn in charts of their own, where somebody has them. */
    public const METRICS = [Metric::Rate, Metric::Held, Metric::Median, Metric::Slowest, Metric::Pss];

    /** @param non-empty-array<string, Series> $rows by contender */
    private function __construct(private string $title, private Metric $metric, private array $rows, private string $footer)
    {
    }

    /** @return array<string, self> by file name without its end */
    public static function of(Result $result, string $footer): array
    {
        $charts = [];
        foreach ($result->samples === null ? [] : self::METRICS as $metric) {
            $rows = [];
            foreach ($result->samples?->contenders() ?? [] as $contender) {
                if ($result->samples?->has($contender, $metric) === true) {
                    $rows[$contender] = $result->samples->series($contender, $metric);
                }
            }
            if (count($rows) > 1) {
                $charts["$result->name-$metric->value"] = new self("$result->name: $result->title", $metric, $rows, $footer);
            }
        }

        return $charts;
    }

    public function svg(): string
    {
        $most = max(array_map(static fn (Series $series) => $series->largest(), $this->rows)) ?: 1.0;
        $left = 24 + self::LETTER * max(array_map(strlen(...), array_map(strval(...), array_keys($this->rows))));
        $scale = (Svg::WIDTH - $left - self::VALUE) / $most;
        $bars = [];
        $y = self::TOP;
        foreach ($this->rows as $name => $series) {
            $bars = [...$bars, ...$this->bar((string) $name, $series, $left, $y, $scale)];
            $y += self::ROW;
        }
        $subtitle = "{$this->metric->heading()}; {$this->direction()}; the thin line: smallest to largest";

        return Svg::document($y + 34, $this->title, $subtitle, $bars, $this->footer);
    }

    /** @return list<string> */
    private function bar(string $name, Series $series, int $left, int $y, float $scale): array
    {
        $colour = str_starts_with($name, 'Howdah') ? Svg::OURS : Svg::OTHERS;
        $middle = $y + self::BAR / 2;
        $x = static fn (float $value): string => sprintf('%.1f', $left + $value * $scale);

        return [
            Svg::text($left - 8, $y + 14, $name, 'text-anchor="end"'),
            "<rect x=\"$left\" y=\"$y\" width=\"" . sprintf('%.1f', $series->median() * $scale)
                . '" height="' . self::BAR . "\" fill=\"$colour\"/>",
            "<line x1=\"{$x($series->smallest())}\" x2=\"{$x($series->largest())}\" y1=\"$middle\" y2=\"$middle\""
                . ' stroke="#24292f"/>',
            Svg::text((int) $x($series->largest()) + 8, $y + 14, $this->metric->format($series->median())),
        ];
    }

    private function direction(): string
    {
        return in_array($this->metric, [Metric::Rate, Metric::Held], true) ? 'more is better' : 'less is better';
    }
}
