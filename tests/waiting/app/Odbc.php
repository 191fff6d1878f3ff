<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

use RuntimeException;

/** Connections to Component\Postgres through unixODBC and psqlODBC. */
final class Odbc
{
    /** A connection string; for another port than the server's, where one is given. */
    public static function parameters(?string $port = null): string
    {
        ['host' => $host, 'port' => $own] = Settings::of('Postgres');
        $port ??= $own;
        $driver = glob('/usr/lib/*/odbc/psqlodbcw.so')[0] ?? throw new RuntimeException('psqlODBC is not installed');

        return "Driver=$driver;Server=$host;Port=$port;Uid=postgres;Database=postgres;SSLmode=disable";
    }
}
