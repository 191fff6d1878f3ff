<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\WaitingTests\Component\MariaDb;
use Howdah\WaitingTests\Component\Postgres;
use Howdah\WaitingTests\Component\Redis;
use PHPUnit\Framework\Attributes\TestWith;

/** A connection that outlives its request, which a client has left in mid-query: the next request must not read the old answer. */
final class PersistentTest extends WaitingTestCase
{
    private const WAIT = 0.9;

    #[TestWith(['pdo_pgsql'])]
    #[TestWith(['pgsql'])]
    #[TestWith(['pdo_mysql'])]
    #[TestWith(['mysqli'])]
    #[TestWith(['redis'])]
    public function test_an_answer_that_nobody_waited_for_is_nobody_else_s(string $kind): void
    {
        array_map(Components::get(...), [Postgres::class, MariaDb::class, Redis::class]);
        // One realm: the next request has its connection.
        $server = $this->ownServer('classic', '--concurrency=1');
        $ask = static fn (float $seconds): string => self::uri('end-persistent', 'wait', $seconds) . "&kind=$kind";
        self::assertEquals('0.05', $server->client->get($ask(0.05))->json()['result']);

        $server->client->get($ask(self::WAIT), [CURLOPT_TIMEOUT => 0, CURLOPT_TIMEOUT_MS => 200]);

        $next = $server->client->get($ask(0.1));
        self::assertEquals('0.1', $next->json()['result'], $next->body);
        self::assertLessThan(self::WAIT, $next->seconds, 'it waited for the answer of the other');
        $last = $server->client->get($ask(0.15));
        self::assertEquals('0.15', $last->json()['result'], $last->body);
    }
}
