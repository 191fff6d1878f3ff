<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

/**
 * A curve with a line for each contender: medians, and a band from the smallest to the largest.
 *
 * Where the largest is much more than the smallest the axis is logarithmic: who queues would leave nothing of the others.
 */
final readonly class LineChart
{
    private const LEFT = 76;
    private const RIGHT = 24;
    private const TOP = 70;
    private const PLOT = 300;
    private const LEGEND_ROW = 20;

    /** From so many times on. */
    private const LOGARITHMIC = 30.0;

    private const COLOURS = [Svg::OURS, '#d1242f', '#9a6700', '#1a7f37', '#8250df', Svg::OTHERS, '#bf3989'];

    /** @param array<string, non-empty-list<array{float, Series}>> $lines by contender */
    private function __construct(private string $title, private Curve $curve, private array $lines, private string $footer)
    {
    }

    /** @return array<string, self> by file name without its end */
    public static function of(Result $result, string $footer): array
    {
        $charts = [];
        foreach ($result->samples?->curves() ?? [] as $curve) {
            $lines = $result->samples?->points($curve) ?? [];
            $charts["$result->name-$curve->name"] = new self("$result->name: $result->title", $curve, $lines, $footer);
        }

        return $charts;
    }

    public function svg(): string
    {
        $across = $this->axis(array_column(array_merge(...array_values($this->lines)), 0), false);
        $values = [];
        foreach (array_merge(...array_values($this->lines)) as [, $series]) {
            array_push($values, ...$series->values);
        }
        $least = min([INF, ...$values]);
        $logarithmic = $least > 0 && max([0.0, ...$values]) / $least > self::LOGARITHMIC;
        $up = $this->axis($values, $logarithmic);
        $parts = $this->grid($across, $up);
        $row = self::TOP + self::PLOT + 58;
        foreach (array_keys($this->lines) as $index => $name) {
            $colour = self::COLOURS[$index % count(self::COLOURS)];
            $parts = [...$parts, ...$this->line($this->lines[$name], $colour, $across, $up)];
            $parts[] = "<rect x=\"" . self::LEFT . "\" y=\"" . ($row - 10) . "\" width=\"14\" height=\"10\" fill=\"$colour\"/>";
            $parts[] = Svg::text(self::LEFT + 20, $row, (string) $name);
            $row += self::LEGEND_ROW;
        }
        $subtitle = $this->curve->up . ($logarithmic ? ' (logarithmic)' : '') . '; the band: smallest to largest';

        return Svg::document($row + 18, $this->title, $subtitle, $parts, $this->footer);
    }

    /**
     * @param non-empty-list<array{float, Series}> $points
     *
     * @return list<string>
     */
    private function line(array $points, string $colour, Axis $across, Axis $up): array
    {
        $places = ['median' => [], 'smallest' => [], 'largest' => []];
        foreach ($points as [$where, $series]) {
            $x = self::x($across->part($where));
            $places['median'][] = $x . ',' . self::y($up->part($series->median()));
            $places['smallest'][] = $x . ',' . self::y($up->part($series->smallest()));
            $places['largest'][] = $x . ',' . self::y($up->part($series->largest()));
        }
        $band = implode(' ', [...$places['smallest'], ...array_reverse($places['largest'])]);
        $line = implode(' ', $places['median']);
        $dots = array_map(static function (string $place) use ($colour): string {
            [$x, $y] = explode(',', $place);

            return "<circle cx=\"$x\" cy=\"$y\" r=\"3\" fill=\"$colour\"/>";
        }, $places['median']);

        return [
            "<polygon points=\"$band\" fill=\"$colour\" opacity=\"0.15\"/>",
            "<polyline points=\"$line\" fill=\"none\" stroke=\"$colour\" stroke-width=\"2\"/>",
            ...$dots,
        ];
    }

    /** @return list<string> */
    private function grid(Axis $across, Axis $up): array
    {
        $parts = [];
        $right = Svg::WIDTH - self::RIGHT;
        foreach ($up->marks() as $mark) {
            $y = self::y($up->part($mark));
            $parts[] = '<line x1="' . self::LEFT . "\" x2=\"$right\" y1=\"$y\" y2=\"$y\" stroke=\"#d0d7de\"/>";
            $parts[] = Svg::text(self::LEFT - 8, (float) $y + 4, self::number($mark), 'text-anchor="end"');
        }
        foreach ($across->marks() as $mark) {
            $x = self::x($across->part($mark));
            $parts[] = Svg::text((float) $x, self::TOP + self::PLOT + 18, self::number($mark), 'text-anchor="middle"');
        }
        $parts[] = Svg::text($right, self::TOP + self::PLOT + 36, $this->curve->across, 'text-anchor="end"');

        return $parts;
    }

    /** @param array<float> $values */
    private function axis(array $values, bool $logarithmic): Axis
    {
        return new Axis($logarithmic ? min([INF, ...$values]) : min([0.0, ...$values]), max([0.0, ...$values]), $logarithmic);
    }

    private static function x(float $part): string
    {
        return sprintf('%.1f', self::LEFT + $part * (Svg::WIDTH - self::LEFT - self::RIGHT));
    }

    private static function y(float $part): string
    {
        return sprintf('%.1f', self::TOP + (1 - $part) * self::PLOT);
    }

    private static function number(float $value): string
    {
        return $value < 10 ? rtrim(rtrim(number_format($value, 2), '0'), '.') : number_format($value);
    }
}
