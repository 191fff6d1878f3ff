<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\HttpTests\Server;
use Howdah\Tests\Clock;
use Howdah\WaitingTests\Component\MariaDb;
use Howdah\WaitingTests\Component\Mongo;
use Howdah\WaitingTests\Component\Postgres;
use Howdah\WaitingTests\Component\Redis;
use PHPUnit\Framework\Attributes\TestWith;

/** A connection that outlives its request, which a client has left in mid-query: the next request must not read the old answer. */
final class PersistentTest extends WaitingTestCase
{
    private const WAIT = 5.0;

    #[TestWith(['pdo_pgsql'], 'pdo_pgsql')]
    #[TestWith(['pgsql'], 'pgsql')]
    #[TestWith(['pdo_mysql'], 'pdo_mysql')]
    #[TestWith(['mysqli'], 'mysqli')]
    #[TestWith(['redis'], 'redis')]
    public function test_an_answer_that_nobody_waited_for_is_nobody_else_s(string $kind): void
    {
        array_map(Components::get(...), [Postgres::class, MariaDb::class, Redis::class]);
        // One realm: the next request has its connection.
        $server = $this->ownServer('classic', '--concurrency=1');
        $ask = static fn (float $seconds): string => self::uri('end-persistent', 'wait', $seconds) . "&kind=$kind";
        self::assertEquals('0.05', $server->client->get($ask(0.05))->json()['result']);

        self::askAndLeave($server, $ask(self::WAIT));

        $next = $server->client->get($ask(0.1));
        self::assertEquals('0.1', $next->json()['result'], $next->body);
        Clock::assertAtMost(self::WAIT - 1, $next->seconds, 'it waited for the answer of the other');
        $last = $server->client->get($ask(0.15));
        self::assertEquals('0.15', $last->json()['result'], $last->body);
    }

    /** libmongoc asks a server that has not greeted for no second time in 5 s (MONGOC_TOPOLOGY_COOLDOWN_MS, 1.23). */
    #[TestWith(['classic'], 'classic')]
    #[TestWith(['worker'], 'worker')]
    public function test_a_server_that_has_not_greeted_before_a_client_went_is_asked_again(string $mode): void
    {
        $door = new Door(['mongodb' => Components::get(Mongo::class)->settings()['port']]);
        try {
            $server = $this->ownServer($mode, '--concurrency=1');
            $uri = self::uri('end-persistent', 'wait', 0.1) . "&kind=mongodb&port={$door->ports['mongodb']}";
            $door->signal(SIGSTOP);
            self::askAndLeave($server, $uri);
            $door->signal(SIGCONT);

            $next = $server->client->get($uri);
            self::assertEquals('0.1', $next->json()['result'], $next->body);
        } finally {
            $door->remove();
        }
    }

    /** Leaves when its request waits: that has told that it asks, and the worker, which has no other work, sleeps. */
    private static function askAndLeave(Server $server, string $uri): void
    {
        $asks = 'asks-' . bin2hex(random_bytes(6));
        [$worker] = $server->workers();
        $leaves = static fn (): int => is_file(Components::folder() . "/$asks")
            && str_contains((string) file_get_contents("/proc/$worker/status"), "State:\tS") ? 1 : 0;
        $left = $server->client->get("$uri&asks=$asks", [
            CURLOPT_NOPROGRESS => false,
            CURLOPT_XFERINFOFUNCTION => $leaves,
        ]);
        self::assertSame(0, $left->status, $left->body);
    }
}
