<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** A worker that has more memory than it may lets realms end and requests wait; everybody is served. */
#[Group('realms')]
final class CeilingTest extends PoolTestCase
{
    private const CEILING = 150;
    private const ABOVE = 'is above howdah_worker_memory (150 MB)';
    private const REQUESTS = 30;

    /** As many are served at once: they have 480 MB then. */
    private const AT_ONCE = 24;

    #[DataProvider('modes')]
    public function test_requests_wait_instead_of_new_realms_while_the_worker_is_above_its_ceiling(string $mode): void
    {
        $without = $this->highest($this->ownServer($mode, '--concurrency=' . self::AT_ONCE));
        $options = ['--concurrency=' . self::AT_ONCE, '--worker-memory=' . self::CEILING . 'M'];
        $server = $this->ownServer($mode, ...$options);

        $with = $this->highest($server);

        self::assertGreaterThan(self::CEILING * 1.5, $without, 'the load is too small for the test');
        // Those that were born before the ceiling was reached had not taken all of theirs.
        self::assertLessThan(self::CEILING + 70, $with);
        self::assertStringContainsString(self::ABOVE, $server->errors());
        self::assertTrue($server->eventually(fn (): bool => self::megabytes($server) < self::CEILING));
        self::assertSame('front page', $server->client->get('/')->body);
    }

    /**
     * Megabytes that the worker has at most while it serves the requests. Each has 20 MB, and keeps them. Each comes when the
     * one before it has its own, or waits: all of the others come together then.
     */
    private function highest(Server $server): float
    {
        $server->client->get('/');
        $isAbove = static fn (): bool => str_contains($server->errors(), self::ABOVE);
        $door = new Door();
        $clients = [];
        for ($n = 0; $n < self::REQUESTS; ++$n) {
            $before = min($n, self::AT_ONCE);
            Clock::await(static fn (): bool => $isAbove() || $door->count() >= $before, "$before have their memory");
            $clients[] = (new Http1($server->port))->get("/keep?n=$n&at={$door->path}");
        }
        Clock::await(static fn (): bool => $isAbove() || $door->count() === self::AT_ONCE, 'all have their memory');
        $highest = 0.0;
        // Those who wait would have theirs by then, if they did not.
        $clock = Clock::start();
        do {
            $highest = max($highest, self::megabytes($server));
            usleep(10_000);
        } while ($clock->seconds() < 0.5);
        $door->open();

        foreach ($clients as $n => $client) {
            $response = $client->read();
            $text = str_repeat("$n,", intdiv(20 << 20, strlen("$n,")));
            self::assertSame([200, "$n " . crc32($text)], [$response?->status, $response?->body]);
            $highest = max($highest, self::megabytes($server));
        }

        return $highest;
    }
}
