<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\WaitingTests\Component\Postgres;
use Howdah\WaitingTests\Component\Redis;
use Howdah\WaitingTests\Component\SlowHttp;
use PHPUnit\Framework\Attributes\DataProvider;
use Random\Engine\Mt19937;
use Random\Randomizer;

/** Many requests that wait on real components in one worker: all at once, and very many one after another. */
final class CrowdTest extends WaitingTestCase
{
    /** On each of the three peers. */
    private const AT_ONCE = 500;

    /** With HOWDAH_LONG 50,000; HOWDAH_CROWD_REQUESTS is a number for a quick look. */
    private const REQUESTS = 10_000;
    private const MANY = 50_000;

    /** Before what they leave behind is looked at: realms are born, heaps have grown. */
    private const WARM_UP = 4_000;

    /** PHP's own, in seconds. */
    private const TIME_LIMIT = 6;

    /** In which answers of the three peers are mixed. */
    private const SEED = 30;

    private const CLIENTS = 96;

    /**
     * Bytes for half of the requests: of 50,000 fewer than 128 for each. Heaps settle late: a few pages more in each of 96
     * realms are half of that, however many requests come.
     */
    private const GROWTH = 128 * self::MANY / 2;

    protected function setUp(): void
    {
        Components::need(Postgres::class, Redis::class, SlowHttp::class);
    }

    #[DataProvider('modes')]
    public function test_500_wait_on_each_peer_at_once_in_one_worker_and_get_their_own_answers(string $mode): void
    {
        $all = self::AT_ONCE * count(Crowd::PEERS);
        // One more for who looks.
        $server = $this->ownServer($mode, '--concurrency=' . ($all + 1), '--no-access-log', '--ini=default_socket_timeout=600');
        $workers = $server->workers();
        $gate = new Gate($all);
        $status = static function () use ($server): int {
            $waiting = $server->client->get('/?do=status')->json()['waiting'];

            return is_int($waiting) ? $waiting : 0;
        };
        $crowd = new Crowd($server, $all);

        $crowd->run($all, static fn (): float => -1, $gate->openWhenAll($status));

        self::assertSame([], $crowd->wrong);
        self::assertTrue($gate->isOpen, 'they did not all wait at once');
        self::assertSame($workers, $server->workers(), 'a worker was lost');
    }

    #[DataProvider('modes')]
    public function test_very_many_in_a_row_leave_nothing_behind(string $mode): void
    {
        // nginx's timer for the earliest of ours stays until then, though there is none any more (nginx/loop.c).
        $limit = '--ini=default_socket_timeout=' . self::TIME_LIMIT;
        $server = $this->ownServer($mode, '--concurrency=' . self::CLIENTS, '--no-access-log', $limit);
        [$worker] = $server->workers();
        $crowd = new Crowd($server, self::CLIENTS);
        $seed = getenv('HOWDAH_SEED') ?: (getenv('HOWDAH_LONG') ? random_int(1, 1 << 30) : self::SEED);
        $random = new Randomizer(new Mt19937((int) $seed));
        $seconds = static fn (): float => $random->getInt(1, 20) / 1000;
        // All at once, and all persistent: each realm has its connection to the database, which it keeps.
        $gate = new Gate(self::CLIENTS);
        $crowd->peers = ['persistent'];
        $crowd->run(self::CLIENTS, static fn (): float => -1, $gate->openWhenAll($gate->waitingForDatabase(...)));
        $crowd->peers = Crowd::PEERS;
        $crowd->run(self::WARM_UP, $seconds);
        $before = Holdings::of($server);

        $requests = (int) (getenv('HOWDAH_CROWD_REQUESTS') ?: (getenv('HOWDAH_LONG') ? self::MANY : self::REQUESTS));
        $half = intdiv($requests, 2);
        $crowd->run($half, $seconds);
        $between = Holdings::of($server);
        $crowd->run($half, $seconds);
        Holdings::awaitNoTimer($worker, 20 * self::TIME_LIMIT);
        $after = Holdings::of($server);

        self::assertSame([], $crowd->wrong, "HOWDAH_SEED=$seed");
        self::assertSame([$worker], $server->workers(), 'a worker was lost');
        self::assertSame($before->descriptors, $after->descriptors);
        self::assertSame($before->threads, $after->threads);
        self::assertLessThan(self::GROWTH, $after->memory - $between->memory);
        self::assertLessThan(2 * self::GROWTH, $after->memory - $before->memory);
    }
}
