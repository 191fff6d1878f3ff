<?php

/** The table of all suites: who takes part where, and which goals there are. */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Choices;
use Howdah\Bench\Machine\Tools;
use Howdah\Bench\Suite\Suite;
use Howdah\Bench\Suites;
use Howdah\Cli\Program;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class SuitesTest extends TestCase
{
    /** @var array<string, Suite> by name; those of a full run */
    private static array $suites = [];

    /** @var list<string> those that run only when they are named */
    private static array $named = [];

    public static function setUpBeforeClass(): void
    {
        $root = dirname(__DIR__, 2);
        $suites = new Suites(Tools::find($root), $root, new Choices(full: true));
        self::$named = array_map(static fn (Suite $suite): string => $suite->name(), $suites->named());
        foreach ([...$suites->all(), ...$suites->named()] as $suite) {
            self::$suites[$suite->name()] = $suite;
        }
    }

    public static function tearDownAfterClass(): void
    {
        self::$suites = [];
    }

    /** @return iterable<string, array{list<string>}> by suite: who takes part, beside others */
    public static function takingPart(): iterable
    {
        yield 'hello' => [['FrankenPHP, worker mode', 'FrankenPHP, classic mode', 'RoadRunner']];
        yield 'wait-10' => [['FrankenPHP, worker mode, 16 threads', 'RoadRunner, 16 processes']];
        yield 'wait-200' => [[
            'Howdah, worker mode, 256 realms',
            'FrankenPHP, worker mode, 256 threads',
            'FrankenPHP, worker mode, 256 threads, GOMAXPROCS=1',
            'RoadRunner, 64 processes',
        ]];
        yield 'wait-1000' => [['FrankenPHP, worker mode, 512 threads', 'FrankenPHP, worker mode, 512 threads, GOMAXPROCS=1']];
        yield 'wait-100ms-5000' => [[
            'Howdah, worker mode, 4096 realms',
            'FrankenPHP, worker mode, 512 threads',
            'RoadRunner, 64 processes',
        ]];
        foreach ([250, 500] as $connections) {
            yield "ping-$connections" => [['nginx + php-fpm', 'Swoole, BASE', 'Swoole, PROCESS', 'RoadRunner']];
        }
        foreach (['static', 'database', 'cache', 'session', 'all'] as $endpoint) {
            foreach ([100, 200] as $connections) {
                yield "codeigniter-$endpoint-$connections" => [[
                    'Howdah, worker mode',
                    'Howdah, classic mode',
                    'nginx + php-fpm',
                    'FrankenPHP, worker mode',
                    'FrankenPHP, classic mode',
                ]];
            }
        }
        $nine = [
            'Apache + php-fpm',
            'nginx + php-fpm',
            'NGINX Unit',
            'RoadRunner',
            'nginx + RoadRunner, FastCGI',
            'FrankenPHP, classic mode',
            'FrankenPHP, worker mode',
            'Swoole, BASE',
        ];
        yield 'symfony-stacks-10' => [['Howdah, classic mode', 'Apache mod_php, 10 processes', ...$nine]];
        yield 'symfony-stacks-100' => [['Apache mod_php, 100 processes', ...$nine]];
        yield 'symfony-stacks-1000' => [$nine];
        yield 'laravel-10q-equal' => [['Octane on Swoole', 'Octane on RoadRunner', 'Octane on FrankenPHP']];
        foreach (['postgres', 'redis', 'http'] as $what) {
            yield "wait-$what-100" => [['FrankenPHP, worker mode, 100 threads', 'RoadRunner, 64 processes']];
        }
        yield 'mixed' => [['FrankenPHP, worker mode, 128 threads', 'RoadRunner, 64 processes']];
        yield 'spin' => [['FrankenPHP, worker mode, 16 threads', 'RoadRunner, 16 processes']];
        $threads = ['FrankenPHP, worker mode, 16 threads', 'FrankenPHP, classic mode, 16 threads'];
        yield 'memory-hello' => [[...$threads, 'RoadRunner, 16 processes']];
        yield 'memory-laravel' => [[...$threads, 'Octane on FrankenPHP, 16 threads', 'Octane on RoadRunner, 16 processes']];
        yield 'memory-symfony' => [[...$threads, 'RoadRunner, 16 processes']];
        foreach (['workers' => 8, 'realms' => 256, 'connections' => 1024, 'size' => 512] as $what => $most) {
            yield "growth-$what" => [["FrankenPHP, worker mode, $most", "RoadRunner, up to 64 processes, $most"]];
        }
        $most = ', up to 64 processes';
        $atOnce = ["nginx + php-fpm$most", 'FrankenPHP, worker mode', 'Octane on FrankenPHP', "Octane on RoadRunner$most"];
        foreach (['laravel-at-once', 'laravel-at-once-50ms'] as $suite) {
            yield $suite => [[
                ...array_map(static fn (int $number): string => "Howdah, worker mode, $number", [8, 64, 200]),
                ...array_map(static fn (string $one): string => "$one, 200", $atOnce),
            ]];
        }
        $peers = ['Swoole, BASE', 'FrankenPHP, worker mode', 'FrankenPHP, classic mode', 'RoadRunner'];
        foreach (['json', 'plaintext', 'db', 'queries', 'fortunes', 'updates'] as $test) {
            yield "te-$test" => [['Howdah, worker mode', ...$peers]];
        }
        foreach (['baseline', 'json', 'async-db', 'api-4', 'upload'] as $profile) {
            yield "ha-$profile" => [['Howdah, worker mode', ...$peers]];
        }
        foreach (['static', 'database', 'cache', 'session', 'all'] as $endpoint) {
            yield "endpoint-$endpoint" => [[
                'FrankenPHP, worker mode',
                'FrankenPHP, classic mode',
                'Octane on FrankenPHP',
                'Octane on RoadRunner',
            ]];
        }
    }

    /** @return iterable<string, array{list<string>}> by suite */
    public static function goals(): iterable
    {
        $worker = 'worker mode / FrankenPHP, worker mode';
        $classic = 'classic mode / FrankenPHP, classic mode';
        yield 'hello' => [["$worker: at least 4", "$classic: at least 2.8"]];
        yield 'ping-100' => [["$worker: at least 3"]];
        yield 'ping-1000' => [["$worker: at least 3"]];
        yield 'symfony-page-100' => [["$worker: at least 1.7"]];
        yield 'laravel' => [["$worker: at least 1.7", "$classic: at least 1.25"]];
        $persistent = 'classic mode, persistent connections / FrankenPHP, classic mode: at least 1.2';
        yield 'laravel-10q' => [["$worker: at least 1.3", $persistent]];
        yield 'laravel-at-once' => [["$worker: PSS, 64: below 0.4"]];
        yield 'codeigniter-all-200' => [['worker mode / FrankenPHP: at least 1.1']];
        yield 'laravel-10q-equal' => [['worker mode / Octane on FrankenPHP: at least 1.5']];
        yield 'wait-200' => [["$worker, 256 threads: at least 2.8"]];
        yield 'wait-1000' => [["$worker, 512 threads: at least 7"]];
    }

    /** @param list<string> $goals */
    #[DataProvider('goals')]
    public function test_the_goals_beside_frankenphp(array $goals): void
    {
        $about = static fn (string $goal): bool => str_contains($goal, 'FrankenPHP');

        self::assertSame($goals, array_values(array_filter(Inside::goals($this->suite()), $about)));
    }

    /** One command runs them again where FrankenPHP is. */
    public function test_the_goals_have_a_command_of_their_own(): void
    {
        $beside = static fn (Suite $suite): bool => str_contains(implode(Inside::goals($suite)), 'FrankenPHP');
        $named = array_keys(array_filter(self::$suites, $beside));

        // The last ones have the same goals with other loads.
        $more = ['symfony-page-10', 'symfony-page-1000', 'laravel-10q-rate', 'ping-250', 'ping-500', 'laravel-10q-equal'];
        $codeIgniter = preg_grep('/^codeigniter-/', self::$named) ?: [];
        self::assertEqualsCanonicalizing([...Suites::GOALS, ...$more, ...$codeIgniter], $named);

        $run = Program::run(['env', 'HOWDAH_BENCH_FRANKENPHP=/nowhere', dirname(__DIR__, 2) . '/bench/run', 'goals']);
        self::assertSame(1, $run->status);
        $said = 'bench: the goals are beside FrankenPHP: HOWDAH_BENCH_FRANKENPHP names /nowhere, which is no program';
        self::assertSame($said, $run->errors);
    }

    /** They repeat what others have measured, in conditions of their own: a run of all is long enough. */
    public function test_published_tables_run_when_they_are_named(): void
    {
        $root = dirname(__DIR__, 2);
        $all = (new Suites(Tools::find($root), $root, new Choices(full: true)))->all();
        $names = array_map(static fn (Suite $suite): string => $suite->name(), $all);
        $listed = Program::run(["$root/bench/run", '--list'])->output;

        self::assertSame([], array_intersect(self::$named, $names));
        foreach (self::$named as $name) {
            self::assertMatchesRegularExpression("/^$name /m", $listed);
        }
        $run = Program::run(["$root/bench/run", 'ping-249']);
        self::assertStringStartsWith("bench: there is no suite 'ping-249': there are hello, ", $run->errors);
        self::assertStringContainsString(', ping-250, ', $run->errors);
    }

    /** Peers have persistent connections in ten queries; so has classic mode, which is no fair contender without. */
    public function test_classic_mode_has_persistent_connections_too(): void
    {
        $persistent = 'Howdah, classic mode, persistent connections';
        $contenders = Inside::contenders(self::$suites['laravel-10q']);

        self::assertContains('Howdah, classic mode', $contenders);
        self::assertContains($persistent, $contenders);
        self::assertContains($persistent, Inside::contenders(self::$suites['laravel-10q-rate']));
    }

    /** @param list<string> $names */
    #[DataProvider('takingPart')]
    public function test_who_takes_part(array $names): void
    {
        self::assertSame([], array_values(array_diff($names, Inside::contenders($this->suite()))));
    }

    private function suite(): Suite
    {
        return self::$suites[(string) $this->dataName()];
    }
}
