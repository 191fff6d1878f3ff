<?php

/** Curves of what grows: the power, a line without the places that fail, and both of it in the report. */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Report\Fit;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Suite\Growing;
use Howdah\Bench\Suite\Place;
use Howdah\Bench\Suite\Run;
use Howdah\Cli\Program;
use PHPUnit\Framework\TestCase;

final class GrowingTest extends TestCase
{
    public function test_the_power_is_that_of_the_line_through_logarithms(): void
    {
        $points = static fn (float $power): array =>
            array_map(static fn (float $x): array => [$x, 7 * $x ** $power], [1.0, 2.0, 8.0, 64.0]);

        foreach ([1.0, 0.0, 0.5, -1.0] as $power) {
            self::assertEqualsWithDelta($power, Fit::exponent($points($power)), 1e-9);
        }
        self::assertEqualsWithDelta(1.0, Fit::exponent([[1.0, 1.0], [2.0, 2.2], [4.0, 3.7]]), 0.1);
        self::assertNull(Fit::exponent([[3.0, 5.0]]));
        self::assertNull(Fit::exponent([]));
    }

    public function test_places_that_fail_are_named_and_left_out_of_the_line(): void
    {
        $book = (string) tempnam(sys_get_temp_dir(), 'howdah-book-');
        $ledger = FakeServer::ledger($book);
        $said = [
            'A, 1' => ['none', ''],
            'A, 2' => ['none', ''],
            'A, 4' => ['wrong', 'body "wrong"'],
            'B, 1' => ['lose', 'writes were lost'],
            'B, 2' => ['die', 'the fake dies now'],
            'B, 4' => ['none', ''],
        ];
        $places = $servers = [];
        foreach ($said as $name => [$fault]) {
            [$line, $amount] = explode(', ', $name);
            $counted = $fault === 'lose' ? $ledger : null;
            $servers[] = $server = new FakeServer($fault, 60, book: $fault === 'lose' ? $book : '/dev/null');
            $contender = new Contender($name, $server, Page::saying('/', 'right'), $counted);
            $places[] = new Place($line, (int) $amount, $contender, new Load((string) Program::find('wrk'), 2));
        }
        $goals = [
            Goal::below(10, 'A', Metric::MemoryExponent, 'A'),
            Goal::below(10, 'B', Metric::MemoryExponent, 'B'),
        ];
        try {
            $suite = new Growing('test', 'a test', 'fakes', $places, $goals);
            $result = $suite->run(new Run(1, 1, static fn (string $what) => null));
        } finally {
            unlink($book);
        }

        array_map(static fn (FakeServer $server) => $server->lateWhereSlow($result->failures), $servers);
        self::assertSame(['A, 1', 'A, 2', 'B, 4', 'A'], $result->samples?->contenders());
        self::assertCount(2, $result->samples->curves());
        foreach ($result->samples->curves() as $curve) {
            $amounts = array_map(
                static fn (array $line): array => array_map(static fn (array $point): float => $point[0], $line),
                $result->samples->points($curve),
            );
            self::assertSame(['A' => [1.0, 2.0], 'B' => [4.0]], $amounts);
        }
        $power = $result->samples->series('A', Metric::MemoryExponent)->median();
        self::assertEqualsWithDelta(0, $power, 1.0, 'the same program, and pages that others share or not');
        self::assertSame('met', $result->verdicts[0]->word());
        self::assertSame('refused: B was not measured', $result->verdicts[1]->word());
        foreach (array_values(array_filter(array_column($said, 1))) as $index => $text) {
            self::assertStringContainsString($text, $result->failures[$index] ?? '');
        }
        self::assertCount(3, $result->failures);
    }
}
