<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

use RuntimeException;

/** Connections to Component\Postgres through unixODBC and psqlODBC. */
final class Odbc
{
    /** A connection string. */
    public static function parameters(): string
    {
        ['host' => $host, 'port' => $port] = Settings::of('Postgres');
        $driver = glob('/usr/lib/*/odbc/psqlodbcw.so')[0] ?? throw new RuntimeException('psqlODBC is not installed');

        return "Driver=$driver;Server=$host;Port=$port;Uid=postgres;Database=postgres;SSLmode=disable";
    }
}
