<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\Tests\Clock;
use Howdah\WaitingTests\App\Crowd;
use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\RedisPeer;
use Howdah\WaitingTests\App\Settings;
use PgSql\Connection;
use RuntimeException;

/** What the requests of a crowd wait for on their peers, until all of them do. Needs Postgres, Redis and SlowHttp. */
final class Gate
{
    /** Seconds between two looks. */
    private const PAUSE = 0.1;

    public bool $isOpen = false;
    private readonly Connection $database;

    /** @param int $requests those with the numbers from 0 on */
    public function __construct(private readonly int $requests)
    {
        $this->database = Postgres::connect();
        pg_query($this->database, 'SELECT pg_advisory_lock(' . Crowd::GATE . ')');
    }

    /**
     * @param  callable(): int  $waiting how many wait
     * @return callable(): void          opens it when all do; fails as Late when that does not come
     */
    public function openWhenAll(callable $waiting): callable
    {
        $clock = Clock::start();
        $look = 0.0;

        return function () use ($waiting, $clock, &$look): void {
            if ($this->isOpen || $clock->seconds() < $look) {
                return;
            }
            $count = $waiting();
            if ($count === $this->requests) {
                $this->open();
            }
            $look = $clock->seconds() + self::PAUSE;
            $clock->assertWithin(2 * Clock::PATIENCE, "$count of {$this->requests} wait at once");
        };
    }

    /** How many wait for the database. */
    public function waitingForDatabase(): int
    {
        $sql = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";

        return (int) pg_fetch_result(pg_query($this->database, $sql) ?: throw new RuntimeException('no answer'), 0, 0);
    }

    private function open(): void
    {
        $this->isOpen = true;
        pg_query($this->database, 'SELECT pg_advisory_unlock(' . Crowd::GATE . ')');
        $redis = RedisPeer::connect();
        for ($number = 0; $number < $this->requests; $number++) {
            $redis->rPush("crowd:$number", 'open');
        }
        file_get_contents(Settings::of('SlowHttp')['url'] . '/open');
        $redis->flushAll();
    }
}
