<?php

/** The page of published tables: our ratios are those of the kept runs, and its commands run. */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Choices;
use Howdah\Bench\Machine\Tools;
use Howdah\Bench\Suite\Suite;
use Howdah\Bench\Suites;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class PublishedTest extends TestCase
{
    private const RESULTS = __DIR__ . '/../../bench/results/';

    /** Kept runs by their dates. */
    private const RUNS = ['2026-11-22' => 'results.json', '2026-11-26' => '2026-11-26-frankenphp-roadrunner/results.json'];

    /** Divided by. */
    private const ONE = 'nginx + php-fpm';

    /** Rows that have another name in the runs, where a number of processes is part of it. */
    private const NAMES = ['Apache mod_php' => 'Apache mod_php, %d processes', 'FrankenPHP' => 'FrankenPHP, classic mode'];

    /** @return iterable<string, array{string, string}> heading, and how the suites are called */
    public static function tables(): iterable
    {
        yield 'Symfony' => ['## Nine stacks with Symfony', 'symfony-page-'];
        yield 'Mezzio' => ['## Mezzio on Swoole', 'ping-'];
    }

    #[DataProvider('tables')]
    public function test_our_ratios_are_those_of_the_kept_runs(string $heading, string $suites): void
    {
        $section = explode("\n## ", explode("$heading\n", self::page())[1])[0];
        preg_match_all('/^\|(.*)\|$/m', $section, $lines);
        $rows = array_map(static fn (string $line): array => array_map(trim(...), explode('|', $line)), $lines[1]);
        $columns = array_slice($rows[0], 1);
        $compared = 0;
        foreach (array_slice($rows, 2) as $row) {
            $name = trim((string) array_shift($row), '*');
            foreach ($row as $index => $cell) {
                if (preg_match('/^([\d,]+).*(2026-\d\d-\d\d)$/', $columns[$index], $at) !== 1 || !is_numeric($cell)) {
                    continue;
                }
                $connections = (int) str_replace(',', '', $at[1]);
                $figures = self::rates(self::RUNS[$at[2]], $suites . $connections);
                $its = $figures[sprintf(self::NAMES[$name] ?? $name, $connections)] ?? $figures[$name] ?? 0.0;
                $rounding = 0.51 * 10 ** -strlen(explode('.', "$cell.")[1]);
                $message = "$name, $columns[$index]";
                self::assertEqualsWithDelta($its / $figures[self::ONE], (float) $cell, $rounding, $message);
                $compared++;
            }
        }

        self::assertGreaterThan(20, $compared);
    }

    /** What no kept run has stands there with the command that measures it. */
    public function test_commands_name_suites(): void
    {
        self::assertGreaterThan(0, preg_match_all('~`bench/run ([^`]+)`~', self::page(), $commands));
        $words = array_merge(...array_map(static fn (string $command): array => explode(' ', $command), $commands[1]));
        $named = array_filter($words, static fn (string $word): bool => !str_starts_with($word, '-'));
        $root = dirname(__DIR__, 2);
        $suites = new Suites(Tools::find($root), $root, new Choices(full: true));
        $known = array_map(static fn (Suite $suite): string => $suite->name(), [...$suites->all(), ...$suites->named()]);

        self::assertNotSame([], $named);
        self::assertSame([], array_values(array_diff($named, $known)));
    }

    private static function page(): string
    {
        return (string) file_get_contents(self::RESULTS . 'published.md');
    }

    /** @return array<string, float> requests a second, by contender */
    private static function rates(string $file, string $name): array
    {
        $run = json_decode((string) file_get_contents(self::RESULTS . $file), true, flags: JSON_THROW_ON_ERROR);
        $rates = [];
        foreach (is_array($run) && is_array($run['suites'] ?? null) ? $run['suites'] : [] as $suite) {
            if (is_array($suite) && $suite['name'] === $name && is_array($suite['figures'])) {
                foreach ($suite['figures'] as $contender => $figures) {
                    $rate = is_array($figures) && is_array($figures['requests_per_second'] ?? null)
                        ? $figures['requests_per_second']['median'] ?? 0 : 0;
                    $rates[(string) $contender] = is_numeric($rate) ? (float) $rate : 0.0;
                }
            }
        }

        return $rates;
    }
}
