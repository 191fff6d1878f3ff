<?php

/** As pgsql-query, through TLS with a certificate that is checked. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $connection = Postgres::connect(Postgres::tls());
        $answer = pg_fetch_result(pg_query($connection, "SELECT repeat('x', 100000), pg_sleep($seconds)"), 0, 0);
        $how = 'SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()';

        return [strlen($answer), pg_fetch_all(pg_query($connection, $how))];
    }

    public function limit(float $seconds): mixed
    {
        $connection = Postgres::connect(Postgres::tls() + Postgres::timeout($seconds));

        return [pg_query($connection, 'SELECT pg_sleep(5)'), pg_last_error($connection)];
    }
};
