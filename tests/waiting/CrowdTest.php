<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\WaitingTests\Component\Postgres;
use Howdah\WaitingTests\Component\Redis;
use Howdah\WaitingTests\Component\SlowHttp;
use PHPUnit\Framework\Attributes\DataProvider;

/** Many requests that wait on real components in one worker: all at once, and very many one after another. */
final class CrowdTest extends WaitingTestCase
{
    /** On each of the three peers. */
    private const AT_ONCE = 500;

    /** HOWDAH_CROWD_REQUESTS lowers it for a quick look. */
    private const REQUESTS = 50_000;

    /** Before what they leave behind is looked at: realms are born, heaps have grown. */
    private const WARM_UP = 6_000;

    private const CLIENTS = 96;

    /** Bytes for half of the requests: fewer than 128 for each. Heaps settle late: a few pages more in each of 96 realms are 64. */
    private const GROWTH = 128 * self::REQUESTS / 2;

    protected function setUp(): void
    {
        Components::need(Postgres::class, Redis::class, SlowHttp::class);
    }

    #[DataProvider('modes')]
    public function test_500_wait_on_each_peer_at_once_in_one_worker_and_get_their_own_answers(string $mode): void
    {
        $all = self::AT_ONCE * count(Crowd::PEERS);
        // One more for who looks.
        $server = $this->ownServer($mode, '--concurrency=' . ($all + 1), '--no-access-log');
        $workers = $server->workers();
        $crowd = new Crowd($server, $all, true);
        // All of them wait until then, however long their connections took.
        $end = microtime(true) + 6;

        $crowd->run($all, static fn (): float => $end - microtime(true));

        self::assertSame([], $crowd->wrong);
        self::assertSame($all, $crowd->waiting, 'they did not all wait at once');
        self::assertSame($workers, $server->workers(), 'a worker was lost');
    }

    #[DataProvider('modes')]
    public function test_50000_in_a_row_leave_nothing_behind(string $mode): void
    {
        // nginx's timer for the earliest of ours stays until then, though there is none any more (nginx/loop.c).
        $limit = '--ini=default_socket_timeout=3';
        $server = $this->ownServer($mode, '--concurrency=' . self::CLIENTS, '--no-access-log', $limit);
        [$worker] = $server->workers();
        $crowd = new Crowd($server, self::CLIENTS, false);
        $seconds = static fn (): float => random_int(1, 20) / 1000;
        // All at once, and all persistent: each realm has its connection to the database, which it keeps.
        $end = microtime(true) + 6;
        $crowd->peers = ['persistent'];
        $crowd->run(self::CLIENTS, static fn (): float => $end - microtime(true));
        $crowd->peers = Crowd::PEERS;
        $crowd->run(self::WARM_UP, $seconds);
        $before = Holdings::of($worker);

        $half = intdiv((int) (getenv('HOWDAH_CROWD_REQUESTS') ?: self::REQUESTS), 2);
        $crowd->run($half, $seconds);
        $between = Holdings::of($worker);
        $crowd->run($half, $seconds);
        $after = Holdings::of($worker);

        self::assertSame([], $crowd->wrong);
        self::assertSame([$worker], $server->workers(), 'a worker was lost');
        self::assertSame($before->descriptors, $after->descriptors);
        self::assertSame($before->threads, $after->threads);
        self::assertTrue($after->isWithoutTimer(), "a timer is left: {$after->timeout} ms");
        self::assertLessThan(self::GROWTH, $after->memory - $between->memory);
        self::assertLessThan(2 * self::GROWTH, $after->memory - $before->memory);
    }
}
