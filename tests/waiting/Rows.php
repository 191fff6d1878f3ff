<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\WaitingTests\Component\Late;
use Howdah\WaitingTests\Component\Postgres;

/** The ways to wait that are tested: app/rows/NAME.php, and the components that it needs. */
final class Rows
{
    /** @var array<string, list<class-string<Component>>> in the order of the alphabet, one a line */
    private const ROWS = [
        'pdo-pgsql-connect' => [Late::class, Postgres::class],
        'pdo-pgsql-copy' => [Postgres::class],
        'pdo-pgsql-notify' => [Postgres::class],
        'pdo-pgsql-persistent' => [Postgres::class],
        'pdo-pgsql-prepared' => [Postgres::class],
        'pdo-pgsql-query' => [Postgres::class],
        'pdo-pgsql-tls' => [Postgres::class],
        'pgsql-async' => [Postgres::class],
        'pgsql-connect' => [Late::class, Postgres::class],
        'pgsql-connect-async' => [Late::class, Postgres::class],
        'pgsql-copy-from' => [Postgres::class],
        'pgsql-copy-to' => [Postgres::class],
        'pgsql-lock' => [Postgres::class],
        'pgsql-notify' => [Postgres::class],
        'pgsql-persistent' => [Postgres::class],
        'pgsql-prepared' => [Postgres::class],
        'pgsql-put-line' => [Postgres::class],
        'pgsql-query' => [Postgres::class],
        'pgsql-select' => [Postgres::class],
        'pgsql-tls' => [Postgres::class],
        'sleep' => [],
        'usleep' => [],
    ];

    /** @return list<string> */
    public static function names(): array
    {
        return array_keys(self::ROWS);
    }

    /** Starts what a row needs. */
    public static function prepare(string $row): void
    {
        Components::folder();
        Components::need(...self::ROWS[$row]);
    }
}
