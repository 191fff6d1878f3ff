<?php

/** pg_query() on a Unix socket; statement_timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $connection = Postgres::connect(['host' => Settings::of('Postgres')['socket']]);

        return pg_fetch_all(pg_query($connection, "SELECT 42 AS answer, pg_sleep($seconds)"));
    }

    public function limit(float $seconds): mixed
    {
        $connection = Postgres::connect(['host' => Settings::of('Postgres')['socket']] + Postgres::timeout($seconds));

        return [pg_query($connection, 'SELECT pg_sleep(5)'), pg_last_error($connection)];
    }
};
