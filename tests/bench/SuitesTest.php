<?php

/** The table of all suites: who takes part where, and which goals there are. */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Choices;
use Howdah\Bench\Machine\Tools;
use Howdah\Bench\Suite\Suite;
use Howdah\Bench\Suites;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class SuitesTest extends TestCase
{
    /** @var array<string, Suite> by name; those of a full run */
    private static array $suites = [];

    public static function setUpBeforeClass(): void
    {
        $root = dirname(__DIR__, 2);
        foreach ((new Suites(Tools::find($root), $root, new Choices(full: true)))->all() as $suite) {
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
        yield 'wait-200' => [[
            'Howdah, worker mode, 256 realms',
            'FrankenPHP, worker mode, 256 threads',
            'FrankenPHP, worker mode, 256 threads, GOMAXPROCS=1',
        ]];
        yield 'wait-100ms-5000' => [[
            'Howdah, worker mode, 4096 realms',
            'FrankenPHP, worker mode, 512 threads',
        ]];
        yield 'wait-postgres-100' => [['FrankenPHP, worker mode, 100 threads']];
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
