<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\HttpTests\Server;
use Howdah\Tests\Clock;
use Howdah\WaitingTests\App\Processor;
use Howdah\WaitingTests\Component\MariaDb;
use Howdah\WaitingTests\Component\Memcached;
use Howdah\WaitingTests\Component\Mongo;
use Howdah\WaitingTests\Component\Postgres;
use Howdah\WaitingTests\Component\RabbitMq;
use Howdah\WaitingTests\Component\Redis;
use PHPUnit\Framework\Attributes\DataProvider;

/**
 * Connections that outlive their requests, when their realm or their worker ends and their servers do not answer any more,
 * or have gone: they are closed, and nobody waits for that. All kinds at once: each has a realm of its own for each way to end.
 */
final class PersistentEndTest extends WaitingTestCase
{
    /** @var array<string, class-string<Component>> */
    private const KINDS = [
        'amqp' => RabbitMq::class,
        'memcached' => Memcached::class,
        'mongodb' => Mongo::class,
        'mysqli' => MariaDb::class,
        'odbc' => Postgres::class,
        'pdo_mysql' => MariaDb::class,
        'pdo_odbc' => Postgres::class,
        'pdo_pgsql' => Postgres::class,
        'pfsockopen' => Redis::class,
        'pgsql' => Postgres::class,
        'redis' => Redis::class,
    ];

    private const FATES = ['silent' => SIGSTOP, 'gone' => SIGKILL];
    private const LEAVES = 'cancel';

    /** A realm's last act may take 2 s: who waits for one of them waits that long, besides waiting for a processor. */
    private const PING_SECONDS = 1.0;

    /** A last act of 2 s, and another one; the connections themselves would wait for 300 s. */
    private const END_SECONDS = 10;

    private Door $door;

    /** Whether they were told to end. */
    private bool $went = false;

    /** @return iterable<string, array{string, int, list<string>, list<string>}> */
    public static function ends(): iterable
    {
        foreach (self::fates() as $name => [$mode, $signal]) {
            $each = ['return', 'exit', 'fatal', self::LEAVES];
            yield "idle, exit, fatal error, client gone: $name" => [$mode, $signal, ['--idle-timeout=1'], $each];
            yield "as many requests as it may serve: $name" => [$mode, $signal, ['--max-requests=1'], ['return']];
        }
    }

    /** @return iterable<string, array{string, int}> */
    public static function fates(): iterable
    {
        foreach (self::FATES as $fate => $signal) {
            foreach (self::modes() as [$mode]) {
                yield "$fate servers in $mode mode" => [$mode, $signal];
            }
        }
    }

    protected function setUp(): void
    {
        $this->door = new Door(array_map(
            static fn (string $class): string => Components::get($class)->settings()['port'],
            self::KINDS,
        ));
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        $this->door->remove();
        array_map(unlink(...), glob(Components::folder() . '/held-*') ?: []);
        @unlink(Components::folder() . '/go');
    }

    /**
     * @param list<string> $options
     * @param list<string> $ends
     */
    #[DataProvider('ends')]
    public function test_a_realm_ends_with_its_connections(string $mode, int $signal, array $options, array $ends): void
    {
        $server = $this->ownServer($mode, '--concurrency=64', '--warm=0', ...$options);
        $workers = $server->workers();

        $slowest = $this->ask($server, $ends, $signal);
        Clock::await(function () use ($server, &$slowest): bool {
            $left = count($this->door->held());
            // The last one may be of the realm that answers, which then is not idle.
            if ($left > 1) {
                $slowest = max($slowest, self::ping($server));
            }

            return $left === 0;
        }, fn (): string => 'they are still connected: ' . json_encode($this->door->held()));

        Clock::assertAtMost(self::PING_SECONDS, $slowest, 'others waited for their end');
        self::awaitIdle($server);
        self::assertSame($workers, $server->workers(), 'a worker was lost');
    }

    #[DataProvider('fates')]
    public function test_a_worker_ends_with_its_connections(string $mode, int $signal): void
    {
        $server = $this->ownServer($mode, '--concurrency=64', '--idle-timeout=0');
        $this->ask($server, ['return'], 0);
        self::assertSame(array_keys(self::KINDS), $this->door->held(), 'they outlive their requests');
        $this->door->signal($signal);

        $clock = Clock::start();
        $server->signal(SIGTERM);

        self::assertSame(0, $server->await(Clock::PATIENCE) ?? Clock::late('the server ends'), $server->errors());
        $clock->assertWithin(self::END_SECONDS, 'the server ends');
        self::assertSame([], $this->door->held());
        self::assertStringNotContainsString('requests were running', $server->errors());
        self::assertStringNotContainsString('exited on signal', $server->errors());
    }

    /**
     * Lets each kind be used, and end in each way when all have been used and the servers are as $signal leaves them.
     *
     * @param  list<string> $ends
     * @return float how long a request of somebody else took, at most
     */
    private function ask(Server $server, array $ends, int $signal): float
    {
        $folder = Components::folder();
        $this->went = false;
        $slowest = 0.0;
        $requests = [];
        foreach (array_keys(self::KINDS) as $kind) {
            foreach ($ends as $end) {
                $port = $this->door->ports[$kind];
                $query = ['kind' => $kind, 'port' => $port, 'end' => $end, 'held' => "held-$kind-$end", 'go' => 'go'];
                // Who leaves does so when its request asks those who do not answer.
                $leaves = static fn (): int => is_file("$folder/held-$kind-asks") ? 1 : 0;
                $leaving = [CURLOPT_NOPROGRESS => false, CURLOPT_XFERINFOFUNCTION => $leaves];
                $requests[] = [
                    self::uri('end-held', 'wait', 0) . '&' . http_build_query($query),
                    [CURLOPT_TIMEOUT => 300] + ($end === self::LEAVES ? $leaving : []),
                ];
            }
        }
        $server->client->all($requests, function () use ($server, $folder, $signal, $requests, &$slowest): void {
            $held = glob("$folder/held-*") ?: [];
            if (!$this->went && count($held) === count($requests)) {
                $answers = array_map(static fn (string $file): string => (string) file_get_contents($file), $held);
                self::assertSame(['42'], array_values(array_unique($answers)));
                if ($signal !== 0) {
                    $this->door->signal($signal);
                }
                touch("$folder/go");
                $this->went = true;
            }
            if ($this->went) {
                $slowest = max($slowest, self::ping($server));
            }
        });
        $held = array_map(basename(...), glob("$folder/held-*") ?: []);
        self::assertTrue($this->went, 'not all were connected, but ' . json_encode($held));

        return $slowest;
    }

    /** Seconds until an answer, without those in which worker and client waited for a processor. */
    private static function ping(Server $server): float
    {
        $processes = [...$server->workers(), (int) getmypid()];
        $delays = Processor::delays($processes);
        $seconds = $server->client->get('/?do=ping')->seconds;

        return max(0.0, $seconds - (Processor::delays($processes) - $delays));
    }
}
