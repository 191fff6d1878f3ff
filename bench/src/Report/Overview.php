<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

/**
 * What a reader should see first, in one chart: how many requests that wait are answered, and what memory many at once take.
 * Made of a results.json, of this run or of one that is kept.
 */
final readonly class Overview
{
    /** Suite, metric, what is said above its bars, and after each name; MiB, if a kept run does not say otherwise. */
    private const PANELS = [
        ['wait-200', Metric::Rate, 'A wait of 10 ms, 200 connections: requests a second; more is better', ''],
        ['wait-1000', Metric::Rate, 'A wait of 10 ms, 1,000 connections: requests a second; more is better', ''],
        ['laravel-at-once', Metric::Pss, "Laravel's JSON: memory of all processes (PSS), MiB; less is better", ' at once'],
    ];

    /** Whatever is not classic. */
    private const MODE = ', worker mode';

    /** Contenders of those suites that answer without waiting. */
    private const APART = ', no wait';

    private const LETTER = 8;
    private const VALUE = 80;
    private const ROW = 26;
    private const BAR = 16;
    private const TOP = 78;
    private const HEADING = 20;
    private const GAP = 22;

    /** @param non-empty-list<array{string, non-empty-array<string, float>}> $panels heading, and figures by contender */
    private function __construct(private array $panels, private string $subtitle, private string $footer)
    {
    }

    /**
     * Null where none of its suites compares somebody with somebody.
     *
     * @param array<mixed> $results what is in a results.json
     */
    public static function of(array $results): ?self
    {
        $machine = self::map($results, 'machine');
        $settings = self::map($results, 'settings');
        $panels = [];
        foreach (self::PANELS as [$suite, $metric, $heading, $after]) {
            $rows = self::rows($results, $suite, $metric, $after);
            if (count($rows) > 1) {
                $panels[] = [str_replace('MiB', self::text($settings, 'unit of memory', 'MiB'), $heading), $rows];
            }
        }
        $facts = [
            self::text($machine, 'processor'),
            'PHP ' . self::text($machine, 'PHP'),
            'howdah ' . self::text($machine, 'howdah'),
            self::text($machine, 'date'),
        ];
        $subtitle = 'Worker mode; ' . self::text($settings, 'told of the figures', 'medians, one machine and one run');

        return $panels === [] ? null : new self($panels, $subtitle, implode(', ', $facts));
    }

    public function svg(): string
    {
        $names = array_merge(...array_map(static fn (array $panel): array => array_keys($panel[1]), $this->panels));
        $left = 24 + self::LETTER * max(array_map(strlen(...), array_map(strval(...), $names)));
        $y = self::TOP;
        $parts = [];
        foreach ($this->panels as [$heading, $rows]) {
            $parts[] = Svg::text(16, $y, $heading, 'font-weight="bold"');
            $y += self::HEADING - self::BAR / 2;
            $scale = (Svg::WIDTH - $left - self::VALUE) / (max($rows) ?: 1.0);
            foreach ($rows as $name => $value) {
                $parts = [...$parts, ...self::bar((string) $name, $value, $left, (int) $y, $scale)];
                $y += self::ROW;
            }
            $y += self::GAP;
        }

        $title = 'Requests that wait, and the memory of many at once';

        return Svg::document((int) $y + 12, $title, $this->subtitle, $parts, $this->footer);
    }

    /** @return list<string> */
    private static function bar(string $name, float $value, int $left, int $y, float $scale): array
    {
        $colour = str_starts_with($name, 'Howdah') ? Svg::OURS : Svg::OTHERS;
        $width = sprintf('%.1f', $value * $scale);

        return [
            Svg::text($left - 8, $y + 13, $name, 'text-anchor="end"'),
            "<rect x=\"$left\" y=\"$y\" width=\"$width\" height=\"" . self::BAR . "\" fill=\"$colour\"/>",
            Svg::text($left + $value * $scale + 8, $y + 13, number_format($value)),
        ];
    }

    /**
     * @param array<mixed> $results
     *
     * @return array<string, float> medians, by contender
     */
    private static function rows(array $results, string $wanted, Metric $metric, string $after): array
    {
        $rows = [];
        foreach (self::map($results, 'suites') as $suite) {
            $suite = is_array($suite) && ($suite['name'] ?? null) === $wanted ? $suite : [];
            foreach (self::map($suite, 'figures') as $name => $metrics) {
                $figure = is_array($metrics) ? self::map($metrics, $metric->value)['median'] ?? null : null;
                $name = (string) $name;
                if ((is_int($figure) || is_float($figure)) && !str_ends_with($name, self::APART)) {
                    $rows[str_replace(self::MODE, '', $name) . $after] = (float) $figure;
                }
            }
        }

        return $rows;
    }

    /**
     * @param array<mixed> $of
     *
     * @return array<mixed>
     */
    private static function map(array $of, string $name): array
    {
        return is_array($of[$name] ?? null) ? $of[$name] : [];
    }

    /** @param array<mixed> $of */
    private static function text(array $of, string $name, string $else = ''): string
    {
        return is_string($of[$name] ?? null) ? $of[$name] : $else;
    }
}
