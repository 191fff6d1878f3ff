<?php

/** pg_pconnect(): a connection that outlives the request; statement_timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return pg_fetch_all(pg_query(pg_pconnect(Postgres::parameters()), "SELECT 42 AS answer, pg_sleep($seconds)"));
    }

    public function limit(float $seconds): mixed
    {
        $connection = pg_pconnect(Postgres::parameters(Postgres::timeout($seconds)));

        return [pg_query($connection, 'SELECT pg_sleep(5)'), pg_last_error($connection)];
    }
};
