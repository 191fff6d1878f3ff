<?php

/**
 * Every kind of suite that has its servers one after the other: a wrong answer and a dead server are named, have no figures,
 * and cost the neighbour nothing. (Those that have them side by side: SpeedTest; at a constant rate: ArrivingTest; curves:
 * GrowingTest.)
 */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Closure;
use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Load\WrongAnswer;
use Howdah\Bench\Report\Result;
use Howdah\Bench\Suite\Flat;
use Howdah\Bench\Suite\Memory;
use Howdah\Bench\Suite\Multiplexed;
use Howdah\Bench\Suite\Parked;
use Howdah\Bench\Suite\Run;
use Howdah\Bench\Suite\Spin;
use Howdah\Bench\Suite\Streams;
use Howdah\Bench\Suite\Suite;
use Howdah\Bench\Suite\Uploads;
use Howdah\Cli\Failure;
use Howdah\Cli\Program;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class AloneTest extends TestCase
{
    /** Contender::start() asks 20 times and once or twice before: what comes later comes while it is measured. */
    private const MEASURED = 40;

    /** @return iterable<string, array{Closure(Contender): Suite, string, int, string}> fault, from when, what is said */
    public static function faults(): iterable
    {
        $page = Page::saying('/', 'right');
        $kinds = [
            'memory' => static fn (Contender $it): Suite => new Memory('test', '', self::load(), [$it], []),
            'spin' => static fn (Contender $it): Suite => new Spin('test', '', self::load(), [$it], []),
            'parked' => static fn (Contender $it): Suite => new Parked('test', '', 8, $page, 1, [$it], []),
            'streams' => static fn (Contender $it): Suite => new Streams('test', '', 3, ['it' => 8], [$it], []),
            'uploads' => static fn (Contender $it): Suite => new Uploads('test', '', 1, 2, 4, [$it], []),
            'http2' => static fn (Contender $it): Suite => new Multiplexed('test', '', ['it' => '/nowhere.sock'], [$it], []),
        ];
        foreach ($kinds as $name => $kind) {
            yield "$name, wrong from the first" => [$kind, 'wrong', 0, 'body "wrong"'];
        }
        yield 'memory, wrong while it is measured' => [$kinds['memory'], 'wrong', self::MEASURED, 'body "wrong"'];
        yield 'memory, dead while it is measured' => [$kinds['memory'], 'die', self::MEASURED, 'the fake dies now'];
        yield 'spin, dead while it is measured' => [$kinds['spin'], 'die', self::MEASURED, 'the fake dies now'];
        yield 'spin, nothing computes' => [$kinds['spin'], 'none', 0, 'was over before the measurement'];
        yield 'parked, dead while it is measured' => [$kinds['parked'], 'die', 24, 'the fake dies now'];
        yield 'parked, nothing waits' => [$kinds['parked'], 'none', 0, 'answered before all of the 8 were under way'];
        yield 'streams, dead while it is measured' => [$kinds['streams'], 'die', 24, 'a stream ended before event 0'];
        yield 'uploads, what was sent did not come' => [$kinds['uploads'], 'none', 0, 'an upload was answered "right"'];
        yield 'uploads, dead while it is measured' => [$kinds['uploads'], 'die', 22, 'the fake dies now'];
        yield 'http2, nobody there' => [$kinds['http2'], 'none', 0, 'h2load'];
    }

    /** @param Closure(Contender): Suite $kind */
    #[DataProvider('faults')]
    public function test_a_fault_is_named_and_costs_the_figures(Closure $kind, string $fault, int $from, string $said): void
    {
        $server = new FakeServer($fault, $from);
        $result = $this->measure($kind(new Contender('it', $server, Page::saying('/', 'right'))));

        $server->lateWhereSlow($result->failures);
        self::assertTrue($result->hasFailed());
        self::assertCount(1, $result->failures);
        self::assertStringStartsWith('it', $result->failures[0]);
        self::assertStringContainsString($said, $result->failures[0]);
        self::assertSame([], $result->samples?->contenders() ?? []);
    }

    public function test_a_lost_write_is_named_and_the_neighbour_keeps_its_figures(): void
    {
        $book = (string) tempnam(sys_get_temp_dir(), 'howdah-book-');
        $ledger = FakeServer::ledger($book);
        $loser = new FakeServer('lose', self::MEASURED, book: $book);
        try {
            $result = $this->measure(new Memory('test', 'a test', self::load(), [
                new Contender('loser', $loser, Page::saying('/', 'right'), $ledger),
                new Contender('sound', new FakeServer(), Page::saying('/', 'right')),
            ], []));
        } finally {
            unlink($book);
        }

        $loser->lateWhereSlow($result->failures);
        self::assertStringContainsString('writes were lost', implode(' ', $result->failures));
        self::assertSame(['sound'], $result->samples?->contenders());
    }

    /** It has one round, and ends with the first that fails. */
    #[DataProvider('ends')]
    public function test_the_long_run_ends_at_a_fault(string $fault, int $from, string $said): void
    {
        $server = new FakeServer($fault, $from);
        $contender = new Contender('it', $server, Page::saying('/', 'right'));
        $flat = new Flat('test', 'a test', self::load(), 10_000, [$contender], []);
        try {
            $this->measure($flat);
            self::fail('no fault was seen');
        } catch (Failure | WrongAnswer $reason) {
            $server->lateWhereSlow([$reason->getMessage()]);
            self::assertStringContainsString($said, $reason->getMessage());
        }
        self::assertFalse($server->isRunning());
    }

    /** @return iterable<string, array{string, int, string}> */
    public static function ends(): iterable
    {
        yield 'wrong' => ['wrong', self::MEASURED, 'body "wrong"'];
        yield 'an error' => ['status', self::MEASURED, 'status'];
        yield 'dead' => ['die', self::MEASURED, 'it'];
    }

    private static function load(): Load
    {
        return new Load((string) Program::find('wrk'), 4);
    }

    private function measure(Suite $suite): Result
    {
        return $suite->run(new Run(1, 1, static fn (string $what) => null));
    }
}
