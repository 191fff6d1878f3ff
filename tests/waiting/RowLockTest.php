<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\WaitingTests\App\MariaDb as MariaDbPeer;
use Howdah\WaitingTests\App\Postgres as PostgresPeer;
use Howdah\WaitingTests\Component\MariaDb;
use Howdah\WaitingTests\Component\Postgres;
use PHPUnit\Framework\Attributes\DataProvider;

/**
 * Rows that transactions lock, with one worker: the database makes a request wait for another one of the same worker, which
 * must run meanwhile, also where the waiting one is inside a compilation.
 */
final class RowLockTest extends LockTestCase
{
    /** What each database says of two that wait for each other: "deadlock detected", "Deadlock found when trying to get lock". */
    private const DEADLOCKS = ['postgres' => '40P01', 'mariadb' => '40001'];

    private static int $rows = 0;

    /** @return iterable<string, array{string, string}> */
    public static function databases(): iterable
    {
        foreach (self::modes() as [$mode]) {
            yield "PostgreSQL in $mode mode" => [$mode, 'postgres'];
            yield "MariaDB in $mode mode" => [$mode, 'mariadb'];
        }
    }

    #[DataProvider('databases')]
    public function test_code_inside_a_compilation_waits_for_a_row_that_a_neighbour_has(string $mode, string $database): void
    {
        [$row] = self::makeRows($database, 1);
        $server = $this->server($mode);
        $holder = self::send($server, self::rows($database, [$row], 'holder', ['until' => "go-$row"]));
        self::awaitFile("row-$row");
        $name = self::freshName();
        $waiting = self::send($server, self::rows($database, [$row], $name, ['in' => 'compilation']));
        self::awaitFile("$name-asks");
        // The others go on; else this and the holder would never be answered.
        self::assertTrue(self::receive(self::send($server, self::uri('sleep', '', 0)))['slept']);
        self::release("go-$row");
        $had = self::receive($holder);
        $answer = self::receive($waiting);

        self::assertNeverTwo([$had, $answer]);
        self::assertTrue($had['had'] < $answer['had']);
    }

    #[DataProvider('databases')]
    public function test_the_database_ends_two_that_wait_for_each_other(string $mode, string $database): void
    {
        [$one, $two] = self::makeRows($database, 2);
        $server = $this->server($mode);
        $first = self::send($server, self::rows($database, [$one, $two], 'first', ['await' => "row-$two"]));
        $second = self::send($server, self::rows(
            $database,
            [$two, $one],
            'second',
            ['await' => "row-$one", 'in' => 'compilation'],
        ));
        $answers = [self::receive($first), self::receive($second)];

        self::assertSame([self::DEADLOCKS[$database]], array_column($answers, 'error'));
        self::assertCount(1, array_column($answers, 'had'));
    }

    /**
     * @param list<int>             $rows
     * @param array<string, scalar> $more
     */
    private static function rows(string $database, array $rows, string $name, array $more): string
    {
        return self::uri('rows', $name, 0, $more + ['database' => $database, 'rows' => implode(',', $rows)]);
    }

    /** @return list<int> rows that no other test uses */
    private static function makeRows(string $database, int $count): array
    {
        Components::need(Postgres::class, MariaDb::class);
        $connection = $database === 'postgres' ? PostgresPeer::pdo() : MariaDbPeer::pdo();
        $connection->exec('CREATE TABLE IF NOT EXISTS locked (number BIGINT PRIMARY KEY)');
        $rows = [];
        for (; $count > 0; --$count) {
            $rows[] = ++self::$rows;
            $connection->exec('INSERT INTO locked VALUES (' . self::$rows . ')');
        }

        return $rows;
    }
}
