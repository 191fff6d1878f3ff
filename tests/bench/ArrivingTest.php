<?php

/** Constant arrival: rates as they are asked for, latencies with those that were left out, the search, and who is not believed. */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Closure;
use Howdah\Bench\Load\Arrivals;
use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Pace;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Load\Reception;
use Howdah\Bench\Load\Search;
use Howdah\Bench\Load\Usage;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Verdict;
use Howdah\Bench\Suite\Arriving;
use Howdah\Bench\Suite\Run;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class ArrivingTest extends TestCase
{
    #[DataProvider('rates')]
    public function test_a_rate_is_made_of_clients_that_ask_once_a_second(float $wanted): void
    {
        $pace = Pace::of($wanted);

        self::assertEqualsWithDelta(1.0, $pace->rate / max(1.0, $wanted), 0.021);
        self::assertEqualsWithDelta($pace->rate, $pace->batch * 1000 / $pace->period_ms, 0.001);
        self::assertEqualsWithDelta($pace->rate, $pace->clients * $pace->perClient(), 0.001);
        self::assertEqualsWithDelta(1.0, $pace->perClient(), 0.5 / $pace->clients + 0.02);
    }

    /** @return iterable<array{float}> */
    public static function rates(): iterable
    {
        foreach ([0.2, 1.0, 7.0, 50.0, 61.3, 99.9, 381.0, 1000.0, 1234.5, 16384.0] as $rate) {
            yield "$rate a second" => [$rate];
        }
    }

    public function test_latencies_count_those_that_were_left_out_meanwhile(): void
    {
        // A hundred a second for a second: all take 10 ms but the first, whose client asks again 3.5 s late.
        $rows = ["1000000\t200\t4500000"];
        for ($i = 1; $i < 100; $i++) {
            $rows[] = 1_000_000 + $i * 10_000 . "\t200\t10000";
        }
        $reception = $this->reception($rows, 100, 1.0);

        self::assertSame(10.0, $reception->quantileMs(0.5));
        // 4,500, 3,500, 2,500 and 1,500 ms of 103, not 4,500 of 100.
        self::assertSame(1500.0, $reception->quantileMs(0.97));
        self::assertSame(4500.0, $reception->quantileMs(0.999));
        self::assertEqualsWithDelta(100 / 4.5, $reception->rate(), 0.01);
        self::assertFalse($reception->holds(500));
        self::assertNull($reception->generatorLimit(), 'the server was late');
    }

    public function test_a_rate_is_held_when_all_are_answered_soon_enough(): void
    {
        $rows = array_map(static fn (int $i): string => 1_000_000 + $i * 10_000 . "\t200\t10000", range(0, 199));

        self::assertTrue($this->reception($rows, 100, 2.0)->holds(500));
        self::assertFalse($this->reception($rows, 100, 2.0)->holds(10));
        self::assertFalse($this->reception(array_slice($rows, 1), 100, 2.0)->holds(500), 'one had no answer');
        self::assertFalse($this->reception(str_replace("200\t10", "502\t10", $rows), 100, 2.0)->holds(500));
        $one = [...array_slice($rows, 1), "2995000\t-1\t10000"];
        self::assertFalse($this->reception($one, 100, 2.0)->holds(500), 'one failed');
        self::assertSame(1, $this->reception($one, 100, 2.0)->errors);
        self::assertSame([0 => 10.0, 1 => 10.0], $this->reception($rows, 100, 2.0)->overTimeMs(0.95));
        self::assertFalse($this->reception([], 100, 2.0)->holds(500));
        self::assertSame(0.0, $this->reception($rows, 100, 2.0)->dropped());
        self::assertSame(0.005, $this->reception($one, 100, 2.0)->dropped(), 'one failed');
        self::assertSame(0.25, $this->reception(array_slice($rows, 50), 100, 2.0)->dropped(), 'a quarter had no answer');
        self::assertSame(1.0, $this->reception([], 100, 2.0)->dropped());
    }

    public function test_a_generator_that_cannot_keep_its_pace_is_told_from_a_slow_server(): void
    {
        // Due each 10 ms, sent each 20 ms, answered at once.
        $rows = array_map(static fn (int $i): string => 1_000_000 + $i * 20_000 . "\t200\t1000", range(0, 99));

        self::assertStringContainsString('ms late', (string) $this->reception($rows, 100, 1.0)->generatorLimit());
    }

    /** @param Closure(float): bool $holds */
    #[DataProvider('servers')]
    public function test_the_highest_rate_held_is_found(Closure $holds, Closure $confirm, float $least, float $most): void
    {
        $found = Search::highest(50, 4000, $holds, $confirm);

        self::assertGreaterThanOrEqual($least, $found);
        self::assertLessThanOrEqual($most, $found);
    }

    /** @return iterable<string, array{Closure(float): bool, Closure(float): bool, float, float}> */
    public static function servers(): iterable
    {
        $below = static fn (float $bound): Closure => static fn (float $rate): bool => $rate < $bound;
        yield 'far above the start' => [$below(777.0), $below(777.0), 777 / 1.11, 777];
        yield 'below the start' => [$below(9.0), $below(9.0), 9 / 1.11, 9];
        yield 'none' => [$below(0.0), $below(0.0), 0, 0];
        yield 'more than can be asked for' => [$below(1e9), $below(1e9), 4000, 4000];
        yield 'not for long' => [$below(777.0), $below(600.0), 600 * 0.9, 600];
        yield 'never for long' => [$below(777.0), $below(0.0), 0, 0];
    }

    public function test_a_fault_is_named_and_costs_the_figures(): void
    {
        $books = $servers = [];
        $contenders = [];
        $goals = [];
        $said = [
            'sound' => ['none', ''],
            'wrong after a while' => ['wrong', 'body "wrong"'],
            'losing a write' => ['lose', 'writes were lost'],
            'dead' => ['die', 'the fake dies now'],
        ];
        foreach ($said as $name => [$fault]) {
            $books[] = $book = (string) tempnam(sys_get_temp_dir(), 'howdah-book-');
            $servers[$name] = new FakeServer($fault, 60, book: $book);
            $contenders[] = new Contender(
                $name,
                $servers[$name],
                Page::saying('/', 'right'),
                FakeServer::ledger($book),
            );
            $goals[] = Goal::atLeast(0.1, $name, Metric::Held, $name, 'sound');
        }
        $contenders[] = new Contender('missing', new FakeServer(missing: 'there is none'), Page::saying('/', 'right'));
        try {
            $suite = new Arriving('test', 'a test', new Arrivals(), 100.0, $contenders, $goals, 100.0, 1.0);
            $result = $suite->run(new Run(1, 1, static fn (string $what) => null));
        } finally {
            array_map(unlink(...), $books);
        }

        array_map(static fn (FakeServer $server) => $server->lateWhereSlow($result->failures), $servers);
        self::assertSame(['sound'], $result->samples?->contenders());
        self::assertEqualsWithDelta(100, $result->samples->series('sound', Metric::Offered)->median(), 1);
        self::assertGreaterThan(0, $result->samples->series('sound', Metric::Rate)->median());
        self::assertLessThan(100, $result->samples->series('sound', Metric::Dropped)->median());
        self::assertGreaterThan(0, $result->samples->series('sound', Metric::IdlePss)->median());
        self::assertGreaterThan(0, $result->samples->series('sound', Metric::Pss)->median());
        $words = array_map(static fn (Verdict $verdict): string => $verdict->word(), $result->verdicts);
        foreach (array_slice(array_keys($said), 1) as $index => $name) {
            self::assertStringContainsString($said[$name][1], $result->failures[$index] ?? '');
            self::assertSame("refused: $name failed", $words[$index + 1]);
        }
        self::assertCount(3, $result->failures);
        self::assertContains('missing is skipped: there is none.', $result->notes);
    }

    /** @param list<string> $rows */
    private function reception(array $rows, float $rate, float $seconds): Reception
    {
        $idle = new Contender('nobody', new FakeServer(), Page::saying('/', ''));

        $usage = Usage::during($idle, static fn () => usleep(1000));

        return Reception::of(Pace::of($rate), $seconds, $usage, implode("\n", $rows));
    }
}
