<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** A worker that has more memory than it may lets realms end and requests wait; everybody is served. */
final class CeilingTest extends PoolTestCase
{
    private const CEILING = 150;
    private const REQUESTS = 30;

    /** Each holds 20 MB for half a second, and they come every 30 ms: 330 MB if all were served at once. */
    private const REQUEST = '/keep?n=';

    #[DataProvider('modes')]
    public function test_requests_wait_instead_of_new_realms_while_the_worker_is_above_its_ceiling(string $mode): void
    {
        $without = $this->highest($this->ownServer($mode, '--concurrency=24'));
        $server = $this->ownServer($mode, '--concurrency=24', '--worker-memory=' . self::CEILING . 'M');

        $with = $this->highest($server);

        self::assertGreaterThan(self::CEILING * 1.5, $without, 'the load is too small for the test');
        // Those that were born before the ceiling was reached had not taken all of theirs.
        self::assertLessThan(self::CEILING + 70, $with);
        self::assertStringContainsString('is above howdah_worker_memory (150 MB)', $server->errors());
        self::assertTrue($server->eventually(fn (): bool => self::megabytes($server) < self::CEILING));
        self::assertSame('front page', $server->client->get('/')->body);
    }

    /** Megabytes that the worker has at most while it serves the requests. */
    private function highest(Server $server): float
    {
        $server->client->get('/');
        $passed = 0.0;
        $highest = 0.0;
        $requests = [];
        foreach (range(0, self::REQUESTS - 1) as $n) {
            $gate = static function () use (&$passed, $n): bool {
                return $passed >= $n * 0.03;
            };
            $requests[] = [self::REQUEST . $n, [], $gate];
        }
        $look = static function (float $seconds) use (&$passed, &$highest, $server): void {
            $passed = $seconds;
            $highest = max($highest, self::megabytes($server));
        };

        foreach ($server->client->all($requests, $look) as $n => $response) {
            $text = str_repeat("$n,", intdiv(20 << 20, strlen("$n,")));
            self::assertSame([200, "$n " . crc32($text)], [$response->status, $response->body]);
        }

        return $highest;
    }
}
