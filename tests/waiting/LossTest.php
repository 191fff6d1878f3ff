<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\HttpTests\Response;
use Howdah\HttpTests\Server;
use Howdah\Tests\Clock;
use Howdah\WaitingTests\Component\MariaDb;
use Howdah\WaitingTests\Component\Postgres;
use PHPUnit\Framework\Attributes\DataProvider;

/** A database that dies while many requests wait for its answer, and comes back. */
final class LossTest extends WaitingTestCase
{
    /** @var array<class-string<Postgres|MariaDb>, list<string>> */
    private const ROWS = [
        Postgres::class => [
            ...['pdo-pgsql-persistent', 'pdo-pgsql-prepared', 'pdo-pgsql-query', 'pdo-pgsql-tls'],
            ...['pgsql-async', 'pgsql-persistent', 'pgsql-query', 'pgsql-tls'],
        ],
        MariaDb::class => [
            ...['mysqli-persistent', 'mysqli-prepared', 'mysqli-query', 'mysqli-tls', 'mysqli-unbuffered'],
            ...['pdo-mysql-persistent', 'pdo-mysql-prepared', 'pdo-mysql-query', 'pdo-mysql-tls'],
        ],
    ];

    /** Requests of each row. */
    private const EACH = 6;

    /** In which the database would answer, if it lived. */
    private const LONG = 120;

    /** Until all have noticed that it has gone. */
    private const NOTICED = 20;

    private Postgres|MariaDb|null $database = null;

    /** @return iterable<string, array{class-string<Postgres|MariaDb>, string}> */
    public static function databasesInModes(): iterable
    {
        foreach (['PostgreSQL' => Postgres::class, 'MariaDB' => MariaDb::class] as $name => $database) {
            foreach (self::modes() as [$mode]) {
                yield "$name in $mode mode" => [$database, $mode];
            }
        }
    }

    /** The database, killed or not, is needed by other tests. */
    protected function tearDown(): void
    {
        parent::tearDown();
        $this->database?->launch();
        $this->database = null;
    }

    /** @param class-string<Postgres|MariaDb> $class */
    #[DataProvider('databasesInModes')]
    public function test_each_request_gets_its_library_s_error_and_the_next_ones_reconnect(string $class, string $mode): void
    {
        $database = $this->database = Components::get($class);
        $rows = self::ROWS[$class];
        // As many realms as requests: each has had a connection of its own when the database comes back.
        $server = $this->ownServer($mode, '--concurrency=' . count($rows) * self::EACH);
        $workers = $server->workers();
        $cli = array_map(static fn (string $row): array => self::startCli($row, 'wait', self::LONG), $rows);
        $all = count($rows) * (self::EACH + 1);
        $clock = Clock::start();
        $killed = null;
        $look = 0.0;
        // The database is asked: no realm is left for one who would look.
        $kill = static function (float $seconds) use ($database, $all, $clock, &$killed, &$look): void {
            if ($killed !== null || $seconds < $look) {
                return;
            }
            $sleeping = $database->sleeping();
            if ($sleeping === $all) {
                $database->kill();
                $killed = Clock::start();
            }
            $clock->assertWithin(self::LONG / 2, "$sleeping of $all requests wait for the database");
            $look = $seconds + 0.1;
        };

        $answers = self::ask($server, $rows, self::LONG, $kill);

        self::assertInstanceOf(Clock::class, $killed, 'they were answered before');
        $killed->assertWithin(self::NOTICED, 'all notice that the database has gone');
        self::assertSameTold($rows, array_map(self::awaitCli(...), $cli), $answers);
        // A realm that had a persistent connection says that it is lost, as php-fpm's child would; php-cli never had one.
        $fresh = array_values(array_filter($rows, static fn (string $row): bool => !str_ends_with($row, '-persistent')));
        self::assertSameTold($fresh, self::underCli($fresh), self::ask($server, $fresh, 0.05));
        $persistent = array_values(array_diff($rows, $fresh));
        self::assertNotContains(null, self::errors(self::ask($server, $persistent, 0.05)));

        $database->launch();

        $answers = self::ask($server, $rows, 0.05);
        self::assertSameTold($rows, self::underCli($rows), $answers);
        self::assertSame([], array_filter(self::errors($answers)), 'they do not connect again');
        self::awaitIdle($server);
        self::assertSame($workers, $server->workers(), 'a worker was lost');
    }

    /**
     * @param  list<Outcome> $outcomes
     * @return list<mixed>
     */
    private static function errors(array $outcomes): array
    {
        return array_map(static fn (Outcome $outcome): mixed => $outcome->told['error'], $outcomes);
    }

    /**
     * Lets each row wait several times, all at once.
     *
     * @param  list<string>                 $rows
     * @param  (callable(float): void)|null $meanwhile
     * @return list<Outcome> of all rows, again and again
     */
    private static function ask(Server $server, array $rows, float $seconds, ?callable $meanwhile = null): array
    {
        $patience = [CURLOPT_TIMEOUT => 3 * self::LONG];
        $uris = array_map(static fn (string $row): array => [self::uri($row, 'wait', $seconds), $patience], $rows);
        $all = array_merge(...array_fill(0, self::EACH, $uris));

        return array_map(
            static fn (Response $response): Outcome => Outcome::fromJson($response->body),
            $server->client->all($all, $meanwhile),
        );
    }

    /**
     * @param  list<string> $rows
     * @return list<Outcome>
     */
    private static function underCli(array $rows): array
    {
        $cli = array_map(static fn (string $row): array => self::startCli($row, 'wait', 0.05), $rows);

        return array_map(self::awaitCli(...), $cli);
    }

    /**
     * @param list<string>  $rows
     * @param list<Outcome> $expected of each row
     * @param list<Outcome> $answers  of all rows, again and again
     */
    private static function assertSameTold(array $rows, array $expected, array $answers): void
    {
        foreach ($answers as $number => $answer) {
            $row = $number % count($rows);
            self::assertSame($expected[$row]->told, $answer->told, $rows[$row]);
        }
    }
}
