<?php

/** bench compare, the warnings before a run, and the charts after it. */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Machine\Readiness;
use Howdah\Bench\Report\Chart;
use Howdah\Bench\Report\Comparison;
use Howdah\Bench\Report\Curve;
use Howdah\Bench\Report\LineChart;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Result;
use Howdah\Bench\Report\Samples;
use Howdah\Cli\Failure;
use PHPUnit\Framework\TestCase;

final class ComparisonTest extends TestCase
{
    /** @var list<string> */
    private array $files = [];

    protected function tearDown(): void
    {
        array_map(unlink(...), $this->files);
    }

    public function test_a_change_is_told_from_the_spread(): void
    {
        $before = $this->results('aaa', ['steady' => [90, 100, 110], 'faster' => [90, 100, 110], 'gone' => [1, 1, 1]]);
        $after = $this->results('bbb', ['steady' => [105, 112, 120], 'faster' => [180, 200, 220], 'new' => [1, 1, 1]]);
        $text = Comparison::read($before, $after)->markdown();

        $steady = '| steady | requests/s | 100 (90-110) | 112 (105-120) | 1.12 | within the spread |';
        self::assertStringContainsString($steady, $text);
        self::assertStringContainsString('| faster | requests/s | 100 (90-110) | 200 (180-220) | 2.00 | changed |', $text);
        self::assertStringContainsString('before: aaa', $text);
        self::assertStringContainsString('after: bbb', $text);
        self::assertStringNotContainsString('differs', $text);
        self::assertDoesNotMatchRegularExpression('/gone|new/', $text, 'there is nothing to compare them with');
    }

    public function test_one_round_tells_of_no_change(): void
    {
        $text = Comparison::read($this->results('aaa', ['one' => [100]]), $this->results('bbb', ['one' => [200]]))->markdown();

        self::assertStringContainsString('| 2.00 | one round each: no spread is known |', $text);
    }

    public function test_another_machine_and_other_suites_are_said(): void
    {
        $before = $this->results('aaa', ['one' => [1, 1, 1]], 'hello', 'Slow 1');
        $after = $this->results('bbb', ['one' => [2, 2, 2]], 'ping', 'Fast 2');
        $text = Comparison::read($before, $after)->markdown();

        self::assertStringContainsString('- **differs:** processor: Slow 1; then Fast 2', $text);
        self::assertStringContainsString('Only before: hello', $text);
        self::assertStringContainsString('Only after: ping', $text);
    }

    public function test_what_is_no_result_is_refused(): void
    {
        $file = $this->file('{"suites": 1}');
        $this->expectException(Failure::class);
        $this->expectExceptionMessage("$file is no results.json of a bench");
        Comparison::read($file, $file);
    }

    public function test_what_would_spoil_figures_is_said_before(): void
    {
        self::assertSame([], Readiness::judge(0.1, 1.0, 2, 20_000, 28_000));
        $warnings = Readiness::judge(1.5, 3.0, 2, 1024, 2_000);
        self::assertCount(4, $warnings);
        self::assertStringContainsString('1.5 of 2 cores', $warnings[0]);
        self::assertStringContainsString('load average is 3.0', $warnings[1]);
        self::assertStringContainsString('1024 descriptors', $warnings[2]);
        self::assertStringContainsString('2000 local ports', $warnings[3]);
        self::assertStringContainsString('one core', Readiness::judge(0.0, 0.5, 1, 20_000, 28_000)[0]);
    }

    public function test_charts_are_made_of_what_several_have(): void
    {
        $samples = new Samples();
        foreach (['Howdah <worker>' => 200.0, 'php-fpm' => 100.0] as $name => $rate) {
            $samples->add($name, Metric::Rate, $rate);
        }
        $samples->add('php-fpm', Metric::Pss, 5.0);
        $charts = Chart::of(Result::of('a-suite', 'a & b', $samples, []), 'here');

        self::assertSame(['a-suite-requests_per_second'], array_keys($charts));
        $svg = simplexml_load_string($charts['a-suite-requests_per_second']->svg());
        self::assertNotFalse($svg);
        $texts = array_map(strval(...), iterator_to_array($svg->text, false));
        self::assertContains('a-suite: a & b', $texts);
        self::assertContains('Howdah <worker>', $texts);
        self::assertContains('200', $texts);
        $bars = iterator_to_array($svg->rect, false);
        self::assertEqualsWithDelta(2.0, (float) $bars[1]['width'] / (float) $bars[2]['width'], 0.01);
    }

    public function test_a_curve_has_a_line_for_each_and_an_axis_that_shows_all(): void
    {
        $samples = new Samples();
        $curve = new Curve('over_time', 'seconds', 'p95 <ms>');
        foreach (['Howdah <worker>' => 10.0, 'php-fpm' => 4000.0] as $name => $latency) {
            foreach ([2, 0, 1, 10] as $second) {
                $samples->add($name, Metric::Rate, 1.0);
                $samples->point($curve, $name, $second, $latency + $second);
                $samples->point($curve, $name, $second, $latency + $second + 2);
                $samples->point($curve, $name, $second, $latency + $second + 1);
            }
        }
        $result = Result::of('a-suite', 'a & b', $samples, []);
        $charts = LineChart::of($result, 'here');
        $svg = simplexml_load_string($charts['a-suite-over_time']->svg());
        self::assertNotFalse($svg);
        $texts = array_map(strval(...), iterator_to_array($svg->text, false));
        self::assertContains('Howdah <worker>', $texts);
        self::assertContains('p95 <ms> (logarithmic); the band: smallest to largest', $texts);
        foreach (['0', '2', '10', '10,000'] as $mark) {
            self::assertContains($mark, $texts);
        }
        $lines = array_map(static fn ($line) => (string) $line['points'], iterator_to_array($svg->polyline, false));
        self::assertCount(2, $lines);
        $place = static fn (string $pair): array => array_map(floatval(...), explode(',', $pair));
        $places = array_map($place, explode(' ', $lines[0]));
        self::assertCount(4, $places);
        self::assertSame([76.0, 836.0], [$places[0][0], $places[3][0]], 'in order, over the whole width');
        self::assertGreaterThan($places[3][1], $places[0][1], 'later ones are higher, and so further up');

        $samples->drop('php-fpm');
        self::assertSame(['Howdah <worker>'], array_keys($samples->points($curve)));
    }

    /** @param array<string, list<int>> $rates by contender */
    private function results(string $commit, array $rates, string $suite = 'hello', string $processor = 'One'): string
    {
        $figures = array_map(static fn (array $rounds) => ['requests_per_second' => ['rounds' => $rounds]], $rates);

        return $this->file((string) json_encode([
            'machine' => ['howdah' => $commit, 'date' => "on $commit", 'processor' => $processor],
            'suites' => [['name' => $suite, 'figures' => $figures]],
        ]));
    }

    private function file(string $text): string
    {
        $this->files[] = $file = (string) tempnam(sys_get_temp_dir(), 'howdah-bench-');
        file_put_contents($file, $text);

        return $file;
    }
}
