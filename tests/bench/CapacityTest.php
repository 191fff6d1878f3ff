<?php

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Capacity;
use PHPUnit\Framework\TestCase;
use RuntimeException;

/** bench/capacity: its formulas give what is published, and what can be counted by hand. */
final class CapacityTest extends TestCase
{
    private const PAGE = <<<'TEXT'
        howdah_request_wait_seconds_bucket{pool="a",mode="classic",le="0.1"} 9
        howdah_request_wait_seconds_sum{pool="a",mode="classic"} 3
        howdah_request_wait_seconds_count{pool="a",mode="classic"} 90
        howdah_request_wait_seconds_sum{pool="b",mode="worker"} 1
        howdah_request_wait_seconds_count{pool="b",mode="worker"} 10
        howdah_request_cpu_seconds_sum{pool="a",mode="classic"} 1
        howdah_request_cpu_seconds_count{pool="a",mode="classic"} 100
        TEXT;

    public function test_a_page_of_figures_is_read(): void
    {
        $all = Capacity::measured(self::PAGE);
        self::assertEqualsWithDelta([0.04, 0.01], [$all->wait, $all->cpu], 1e-9);
        $later = strtr(self::PAGE, ['_sum{pool="a",mode="classic"} 3' => '_sum{pool="a",mode="classic"} 5', '} 90' => '} 100',
            '_sum{pool="a",mode="classic"} 1' => '_sum{pool="a",mode="classic"} 2', '} 100' => '} 200']);
        $since = Capacity::measured($later, self::PAGE);
        self::assertEqualsWithDelta([0.2, 0.01], [$since->wait, $since->cpu], 1e-9);
        $this->expectExceptionMessage('has no howdah_request_wait_seconds');
        Capacity::measured('');
    }

    public function test_requests_at_once_are_rate_times_time(): void
    {
        $capacity = new Capacity(0.04, 0.01);
        self::assertEqualsWithDelta(0.5, $capacity->utilization(100, 2), 1e-9);
        self::assertEqualsWithDelta(100 * (0.04 + 0.02), $capacity->atOnce(100, 2), 1e-9);
        $this->expectException(RuntimeException::class);
        $this->expectExceptionMessage('200 requests/s need 2.00 processors of 2');
        $capacity->atOnce(200, 2);
    }

    public function test_waiting_is_as_likely_as_erlang_says(): void
    {
        self::assertEqualsWithDelta(0.5, Capacity::erlangC(1, 0.5), 1e-9); // M/M/1: the utilization
        self::assertEqualsWithDelta(1 / 3, Capacity::erlangC(2, 1), 1e-9); // 2 a^2 / (2 (2 + a)) with a = 1
        self::assertSame(1.0, Capacity::erlangC(3, 3));
        self::assertLessThan(0.5, Capacity::erlangC(10100, 10000)); // and no overflow
        $realms = Capacity::realms(15);
        self::assertLessThanOrEqual(0.01, Capacity::erlangC($realms, 15));
        self::assertGreaterThan(0.01, Capacity::erlangC($realms - 1, 15));
    }

    public function test_the_law_is_found_again_in_what_it_made(): void
    {
        $law = ['rate' => 40.0, 'contention' => 0.03, 'coherency' => 0.0005];
        $made = [];
        foreach ([1, 2, 4, 8, 16, 32, 64] as $n) {
            $made[$n] = Capacity::throughput($law, $n);
        }
        self::assertEqualsWithDelta($law, Capacity::fit($made), 1e-6);
        self::assertEqualsWithDelta(sqrt(0.97 / 0.0005), Capacity::peak($law), 1e-9);
        self::assertSame(INF, Capacity::peak(['rate' => 1.0, 'contention' => 0.0, 'coherency' => 0.0]));
        // Each one more takes more than it brings.
        self::assertSame(1.0, Capacity::peak(['rate' => 1.0, 'contention' => 1.1, 'coherency' => 0.1]));
        foreach (['three measurements' => [1 => 1.0, 2 => 2.0], 'above 0' => [1 => 1.0, 2 => 2.0, 4 => 0.0]] as $why => $some) {
            try {
                Capacity::fit($some);
                self::fail($why);
            } catch (RuntimeException $refusal) {
                self::assertStringContainsString($why, $refusal->getMessage());
            }
        }
    }
}
