<?php

/** What figures become: medians, ratios round by round, verdicts, and refusals. */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Report\Folder;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Overview;
use Howdah\Bench\Report\Samples;
use Howdah\Bench\Report\Svg;
use Howdah\Bench\Suite\LoadLimit;
use Howdah\Cli\Program;
use PHPUnit\Framework\TestCase;

final class ReportTest extends TestCase
{
    public function test_a_ratio_is_made_round_by_round(): void
    {
        $samples = self::samples(['one' => [100.0, 50.0, 200.0], 'two' => [50.0, 25.0, 10.0]], Metric::Rate);
        $verdict = Goal::atLeast(2, 'one / two', Metric::Rate, 'one', 'two')->judge($samples);

        self::assertSame([2.0, 2.0, 20.0], $verdict->measured?->values);
        self::assertSame('met', $verdict->word());
    }

    public function test_one_figure_is_divided_by_another_of_the_same_contender(): void
    {
        $samples = self::samples(['one' => [30.0, 40.0, 20.0]], Metric::Slowest);
        foreach ([10.0, 10.0, 10.0] as $median) {
            $samples->add('one', Metric::Median, $median);
        }
        $goal = static fn (float $bound): Goal => Goal::belowTimes($bound, 'tail', Metric::Slowest, Metric::Median, 'one');

        self::assertSame('not met', $goal(3)->judge($samples)->word());
        self::assertSame('met', $goal(3.5)->judge($samples)->word());
    }

    public function test_a_share_of_another_s_figure_may_have_to_be_small(): void
    {
        $samples = self::samples(['one' => [30.0, 40.0, 20.0], 'two' => [100.0, 100.0, 100.0]], Metric::Pss);
        $goal = static fn (float $bound): Goal => Goal::belowOf($bound, 'memory', Metric::Pss, 'one', 'two');

        self::assertSame('not met', $goal(0.3)->judge($samples)->word());
        self::assertSame('met', $goal(0.31)->judge($samples)->word());
        self::assertSame('below 0.31', $goal(0.31)->judge($samples)->bound);
    }

    public function test_no_ratio_is_made_where_the_load_generator_was_the_limit(): void
    {
        $samples = self::samples(['free' => [100.0], 'limited' => [100.0], 'both busy' => [100.0]], Metric::Rate);
        foreach (['free' => [0.5, 0.95], 'limited' => [0.97, 0.6], 'both busy' => [0.97, 0.99]] as $name => [$wrk, $server]) {
            $samples->add($name, Metric::LoadCpu, $wrk);
            $samples->add($name, Metric::ServerCpu, $server);
        }
        $limited = LoadLimit::in($samples);
        $verdict = static fn (string $of, string $to) =>
            Goal::atLeast(1, "$of / $to", Metric::Rate, $of, $to)->judge($samples, $limited);

        self::assertSame(['limited'], array_keys($limited));
        self::assertSame('met', $verdict('free', 'both busy')->word());
        self::assertStringStartsWith('refused: limited was limited by the load generator', $verdict('free', 'limited')->word());
        self::assertStringStartsWith('refused: limited was limited by the load generator', $verdict('limited', 'free')->word());
        self::assertNull($verdict('limited', 'free')->measured);
    }

    public function test_what_is_done_less_than_once_a_second_is_told_too(): void
    {
        self::assertSame(['0.42', '12', '106,900', '0'], array_map(Metric::Rate->format(...), [0.42, 12.3, 106_900.4, 0.0]));
    }

    public function test_the_report_of_an_earlier_run_is_kept_beside_the_new_one(): void
    {
        $path = sys_get_temp_dir() . '/howdah-reports-' . bin2hex(random_bytes(6));
        foreach (['first', 'second', 'third'] as $text) {
            (new Folder($path))->write(['results.md' => $text]);
        }
        $read = static fn (string $name): string => (string) file_get_contents("$path/$name");
        $kept = array_map($read, ['results.md', 'before.results.md']);
        array_map(unlink(...), glob("$path/*") ?: []);
        rmdir($path);

        self::assertSame(['third', 'second'], $kept);
    }

    public function test_waiting_and_memory_are_drawn_in_one_chart(): void
    {
        $figures = static fn (Metric $metric, array $medians): array =>
            array_map(static fn (mixed $median): array => [$metric->value => ['median' => $median]], $medians);
        $suites = [
            ['name' => 'wait-1000', 'figures' => $figures(Metric::Rate, [
                'Howdah, worker mode, 512 realms' => 41_387,
                'Howdah, worker mode, no wait' => 70_000,
                'FrankenPHP, worker mode, 512 threads' => 5_357,
            ])],
            ['name' => 'laravel-at-once', 'figures' => $figures(Metric::Pss, [
                'Howdah, worker mode, 64' => 123,
                'FrankenPHP, worker mode, 64' => 304,
            ])],
            ['name' => 'wait-200', 'figures' => $figures(Metric::Rate, ['Howdah, worker mode, 256 realms' => 19_001])],
        ];
        $svg = (string) Overview::of(['machine' => ['processor' => 'a processor'], 'suites' => $suites])?->svg();
        preg_match_all('~<text [^>]*>([^<]*)</text>~', $svg, $texts);

        self::assertSame([
            'Requests that wait, and the memory of many at once',
            'Worker mode; medians, one machine and one run',
            'A wait of 10 ms, 1,000 connections: requests a second; more is better',
            'Howdah, 512 realms',
            '41,387',
            'FrankenPHP, 512 threads',
            '5,357',
            'Laravel&apos;s JSON: memory of all processes (PSS), MiB; less is better',
            'Howdah, 64 at once',
            '123',
            'FrankenPHP, 64 at once',
            '304',
            'a processor, PHP , howdah , ',
        ], $texts[1]);
        self::assertSame(2, substr_count($svg, Svg::OURS));
        self::assertNull(Overview::of(['suites' => [$suites[2]]]), 'nobody to compare with');
    }

    /** The picture that README shows first is that of the figures beside it. */
    public function test_the_chart_of_a_kept_run_is_drawn_of_its_figures(): void
    {
        $root = dirname(__DIR__, 2);
        $kept = "$root/bench/results/2026-11-26-frankenphp-roadrunner";
        $folder = sys_get_temp_dir() . '/howdah-drawn-' . bin2hex(random_bytes(6));
        mkdir($folder);
        $drawn = Program::run(["$root/bench/run", 'draw', "$kept/by-hand.json", "--output=$folder"]);
        $svg = @file_get_contents("$folder/charts/overview.svg");
        exec('rm -rf ' . escapeshellarg($folder));

        self::assertSame(0, $drawn->status, $drawn->errors);
        self::assertSame(file_get_contents("$kept/charts/overview.svg"), $svg);
        $refused = Program::run(["$root/bench/run", 'draw', "$root/composer.json"]);
        self::assertSame(1, $refused->status);
        self::assertStringContainsString('draw takes a results.json with wait-200', $refused->errors);
    }

    /** @param array<string, list<float>> $figures by contender */
    private static function samples(array $figures, Metric $metric): Samples
    {
        $samples = new Samples();
        foreach ($figures as $contender => $values) {
            foreach ($values as $value) {
                $samples->add($contender, $metric, $value);
            }
        }

        return $samples;
    }
}
