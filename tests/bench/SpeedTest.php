<?php

/** Who answers wrongly or dies has no figures, the others keep theirs, and no ratio is made with what is not believed. */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Result;
use Howdah\Bench\Report\Verdict;
use Howdah\Bench\Suite\Run;
use Howdah\Bench\Suite\Speed;
use Howdah\Cli\Program;
use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class SpeedTest extends TestCase
{
    /** Contender::start() asks 20 times, wrk warms up for a second: what comes later comes under load. */
    private const UNDER_LOAD = 500;

    /** Requests, of which one in ten is more than what is not counted exactly (Load: two for each of four connections). */
    private const ENOUGH = 400;

    /** Of one measurement: a slow machine needs longer to ask that often. */
    private const SECONDS = [1, 5];

    private static Result $result;

    /** What the machine was too slow to see, even in the longest time. */
    private static ?string $unseen = null;

    /** @var array<string, FakeServer> */
    private static array $servers = [];

    /** @var list<string> */
    private static array $books = [];

    public static function tearDownAfterClass(): void
    {
        array_map(unlink(...), self::$books);
    }

    /** @return iterable<string, array{string, int, string}> what is said of it, too */
    public static function faults(): iterable
    {
        yield 'wrong from the first' => ['wrong', 0, 'body "wrong"'];
        yield 'wrong after a while, and no longer than a right one' => ['wrong', self::UNDER_LOAD, 'body "wrong"'];
        yield 'longer after a while' => ['long', self::UNDER_LOAD, 'bytes under load'];
        yield 'an error from the first' => ['status', 0, 'status 500'];
        yield 'an error after a while' => ['status', self::UNDER_LOAD, 'requests had a status of 400 or more'];
        yield 'one write in ten is lost after a while' => ['lose', self::UNDER_LOAD, 'writes were lost'];
        yield 'one write in ten is made twice after a while' => ['double', self::UNDER_LOAD, ' writes for '];
        yield 'dead after a while' => ['die', self::UNDER_LOAD, 'the fake dies now'];
        yield 'dead from the first' => ['die', 0, 'the fake dies now'];
    }

    /** One run with all of them, as each takes seconds. */
    public static function setUpBeforeClass(): void
    {
        foreach (self::SECONDS as $seconds) {
            self::measure($seconds);
            self::$unseen = self::unseen($seconds);
            if (self::$unseen === null) {
                return;
            }
        }
    }

    private static function measure(int $seconds): void
    {
        $wrk = Program::find('wrk');
        self::assertNotNull($wrk);
        $page = Page::saying('/', 'right');
        $contenders = [
            new Contender('sound', new FakeServer(), $page),
            new Contender('as sound', new FakeServer(), $page),
            new Contender('missing', new FakeServer(missing: 'it is sold only in shops'), $page),
        ];
        $goals = [self::goal('as sound'), self::goal('missing')];
        foreach (self::faults() as $name => [$fault, $from]) {
            self::$books[] = $book = (string) tempnam(sys_get_temp_dir(), 'howdah-book-');
            $ledger = FakeServer::ledger($book);
            self::$servers[$name] = new FakeServer($fault, $from, book: $book);
            $contenders[] = new Contender($name, self::$servers[$name], $page, $ledger);
            $goals[] = self::goal($name);
        }
        $suite = new Speed('test', 'a test', new Load($wrk, 4), $contenders, $goals);
        self::$result = $suite->run(new Run(1, $seconds, static fn (string $what) => null));
    }

    public function test_those_who_answer_rightly_are_compared(): void
    {
        self::lateWhereSlow();
        self::assertSame(['sound', 'as sound'], self::$result->samples?->contenders());
        self::assertContains(self::verdict('as sound')->word(), ['met', 'not met']);
        self::assertNotNull(self::verdict('as sound')->measured);
    }

    #[DataProvider('faults')]
    public function test_a_fault_is_named_and_costs_the_figures(string $fault, int $from, string $said): void
    {
        $name = (string) $this->dataName();
        self::lateWhereSlow();
        $failures = self::saidOf($name);

        self::assertCount(1, $failures, "$fault from $from on");
        self::assertStringContainsString($said, $failures[0]);
        self::assertSame("refused: $name failed", self::verdict($name)->word());
        self::assertNull(self::verdict($name)->measured);
        self::assertTrue(self::$result->hasFailed());
    }

    public function test_one_that_is_not_there_is_skipped_by_name_and_reason(): void
    {
        self::lateWhereSlow();
        self::assertContains('missing is skipped: it is sold only in shops.', self::$result->notes);
        self::assertSame('refused: missing is not on this machine', self::verdict('missing')->word());
        self::assertCount(iterator_count(self::faults()), self::$result->failures);
    }

    public function test_errors_are_a_figure_where_they_are_what_is_compared(): void
    {
        $unseen = null;
        foreach (self::SECONDS as $seconds) {
            [$result, $unseen] = self::measureErrors($seconds);
            if ($unseen === null) {
                break;
            }
        }

        $unseen === null || Clock::late($unseen);
        self::assertSame(['sound', 'faulty'], $result->samples?->contenders());
        self::assertSame(0.0, $result->samples->series('sound', Metric::Errors)->median());
        self::assertGreaterThan(0.0, $result->samples->series('faulty', Metric::Errors)->median());
        self::assertStringContainsString('refused: faulty had', $result->verdicts[0]->word());
        self::assertSame('met', $result->verdicts[1]->word());
        self::assertStringContainsString('refused: faulty had', $result->verdicts[2]->word());
        self::assertStringContainsString('body "wrong"', implode(' ', $result->failures));
    }

    /** @return array{Result, ?string} what came of it, and what the machine was too slow to see */
    private static function measureErrors(int $seconds): array
    {
        $contenders = $servers = [];
        foreach (['sound' => 'none', 'faulty' => 'crowd', 'wrong' => 'wrong'] as $name => $fault) {
            $servers[] = $server = new FakeServer($fault, self::UNDER_LOAD);
            $contenders[] = new Contender($name, $server, Page::saying('/', 'right'));
        }
        $goals = [
            self::goal('faulty'),
            Goal::below(1, 'errors', Metric::Errors, 'sound'),
            Goal::below(1, 'their errors', Metric::Errors, 'faulty'),
        ];
        $load = new Load((string) Program::find('wrk'), 4, tolerant: true);
        $suite = new Speed('test', 'a test', $load, $contenders, $goals);
        $result = $suite->run(new Run(1, $seconds, static fn (string $what) => null));
        $unseen = array_map(static fn (FakeServer $server): ?string => $server->unseen($result->failures), $servers);

        return [$result, array_values(array_filter($unseen))[0] ?? null];
    }

    private static function lateWhereSlow(): void
    {
        self::$unseen === null || Clock::late(self::$unseen);
    }

    /** What the machine was too slow to see in so many seconds, or stood still then; null where it saw all. */
    private static function unseen(int $seconds): ?string
    {
        foreach (['sound', 'as sound'] as $name) {
            if (self::saidOf($name) !== []) {
                return implode('; ', self::saidOf($name));
            }
        }
        foreach (self::$servers as $name => $server) {
            $said = self::saidOf($name);
            $rate = $said === [] ? self::$result->samples?->series($name, Metric::Rate)->median() : null;
            if ($rate !== null && $rate * $seconds < self::ENOUGH) {
                return "$name was asked $rate times a second only, for $seconds s";
            }
            $unseen = $server->unseen($said);
            if ($unseen !== null) {
                return "$name: $unseen";
            }
        }

        return null;
    }

    /** @return list<string> */
    private static function saidOf(string $name): array
    {
        $of = static fn (string $failure): bool => str_starts_with($failure, "$name, ")
            || str_starts_with($failure, "$name does not serve");

        return array_values(array_filter(self::$result->failures, $of));
    }

    private static function goal(string $with): Goal
    {
        return Goal::atLeast(0.5, $with, Metric::Rate, 'sound', $with);
    }

    private static function verdict(string $with): Verdict
    {
        foreach (self::$result->verdicts as $verdict) {
            if ($verdict->goal === $with) {
                return $verdict;
            }
        }
        self::fail("no verdict on $with");
    }
}
