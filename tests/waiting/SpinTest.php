<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\HttpTests\Server;
use PHPUnit\Framework\Attributes\DataProvider;

/** A request that computes: who waits for its worker meanwhile, and how long. Numbers are in README.md. */
final class SpinTest extends WaitingTestCase
{
    private const SECONDS = 3.0;

    /** 50 a second. */
    private const PING_EVERY = 0.02;

    /** On a processor of its own. */
    private const P99 = 0.06;

    /** The machine may be busy with other work. */
    private const TRIES = 3;

    /** @return iterable<string, array{string, string}> */
    public static function computations(): iterable
    {
        foreach (self::modes() as [$mode]) {
            yield "a loop in $mode mode" => ['compute-loop', $mode];
            yield "usort() with PHP code that compares, in $mode mode" => ['compute-usort', $mode];
        }
    }

    #[DataProvider('computations')]
    public function test_others_are_answered_while_php_code_computes(string $row, string $mode): void
    {
        $server = $this->server($mode);
        $tries = [];
        while (count($tries) < self::TRIES) {
            $before = Server::processorSeconds($server->workers()[0]);
            [$answer, $pings] = $this->computeAndPing($server, $row, self::SECONDS, self::SECONDS);
            $share = (Server::processorSeconds($server->workers()[0]) - $before) / $answer->elapsed;

            self::assertSame(self::underCli($row, 0.05), $answer->told);
            self::assertGreaterThanOrEqual(self::SECONDS, $answer->elapsed);
            self::assertGreaterThan(0.6 * self::SECONDS / self::PING_EVERY, count($pings));
            $p99 = self::percentile($pings, 0.99);
            // Slices are of processor time: they last longer where others take a part of it.
            if ($p99 <= self::P99 / min(1, $share)) {
                return;
            }
            $tries[] = sprintf('%.0f ms with %.0f %% of a processor', $p99 * 1000, $share * 100);
        }
        self::fail('the p99 of pings: ' . implode(', ', $tries));
    }

    /** Two that compute and those that do so for a moment take turns: each has its own result. */
    #[DataProvider('modes')]
    public function test_several_that_compute_get_the_right_results(string $mode): void
    {
        $server = $this->server($mode);
        $rows = ['compute-loop', 'compute-usort', 'compute-loop', 'compute-usort'];
        $responses = $server->client->all(array_map(static fn (string $row) => self::uri($row, 'wait', 1), $rows));
        foreach ($responses as $number => $response) {
            self::assertSame(self::underCli($rows[$number], 0.05), Outcome::fromJson($response->body)->told);
            // One after another it would be 1, 2, 3 and 4 s.
            self::assertLessThan(1.8, $response->seconds);
        }
    }

    /**
     * C code cannot be interrupted: the longest that a ping waits is about as long as the call. Should this fail because
     * pings are faster, the documentation is to be changed.
     *
     * @return iterable<string, array{string}>
     */
    public static function uninterruptible(): iterable
    {
        yield 'preg_match() with pcre.backtrack_limit raised' => ['compute-match'];
        yield 'sort() without PHP code' => ['compute-sort'];
    }

    #[DataProvider('uninterruptible')]
    public function test_c_code_holds_its_worker_until_it_is_done(string $row): void
    {
        [$answer, $pings] = $this->computeAndPing($this->server('classic'), $row, 0.4, 9);

        $cli = self::underCli($row, 0.1);
        self::assertSame(array_slice(self::told($cli), 0, -1), array_slice(self::told($answer->told), 0, -1));
        $took = self::told($answer->told)[2];
        self::assertGreaterThanOrEqual(0.4, $took);
        self::assertIsFloat($took);
        self::assertGreaterThan(0.7 * $took, max([0, ...$pings]));
        // Before that one come shorter ones.
        self::assertLessThan(2 * $took + 0.5, max([0, ...$pings]));
    }

    /** With the limits that PHP has by itself, no pattern holds a worker for long. */
    public function test_backtrack_limit_bounds_how_long_a_pattern_holds_its_worker(): void
    {
        $server = $this->server('classic');
        $answer = Outcome::fromJson($server->client->get(self::uri('compute-match-default', 'wait', 0))->body);

        $told = self::told($answer->told);
        self::assertSame(array_slice(self::told(self::underCli('compute-match-default', 0)), 0, 2), array_slice($told, 0, 2));
        self::assertLessThan(0.5, $told[2]);
    }

    /** @return array{Outcome, list<float>} what came of it, and how long each ping meanwhile took */
    private function computeAndPing(Server $server, string $row, float $seconds, float $until): array
    {
        $pings = [];
        $start = microtime(true);
        $next = 0.1;
        $ping = static function () use ($server, $until, $start, &$pings, &$next): void {
            // A late one does not make fewer of them.
            for (; $next < $until && microtime(true) - $start >= $next; $next += self::PING_EVERY) {
                $response = $server->client->get('/?do=ping');
                self::assertSame('"pong"', $response->body);
                $pings[] = $response->seconds;
            }
        };
        $response = $server->client->all([self::uri($row, 'wait', $seconds)], $ping)[0];
        self::assertGreaterThan(0, count($pings));

        return [Outcome::fromJson($response->body), $pings];
    }

    /** @return array<array-key, mixed> what php-cli tells */
    private static function underCli(string $row, float $seconds): array
    {
        return self::awaitCli(self::startCli($row, 'wait', $seconds))->told;
    }

    /**
     * @param  array<array-key, mixed> $told
     * @return array<array-key, mixed>
     */
    private static function told(array $told): array
    {
        self::assertNull($told['error']);
        self::assertIsArray($told['result']);

        return $told['result'];
    }

    /** @param list<float> $values at least one */
    private static function percentile(array $values, float $part): float
    {
        sort($values);

        return $values[(int) ceil($part * count($values)) - 1];
    }
}
