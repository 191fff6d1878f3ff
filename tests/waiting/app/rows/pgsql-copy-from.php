<?php

/** pg_copy_from() into a table whose trigger sleeps; statement_timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $connection = Postgres::connect();
        pg_query($connection, Postgres::slowTable($seconds / 2));
        $copied = pg_copy_from($connection, 'slow', ["1\tone\n", "2\ttwo\n"]);

        return [$copied, pg_fetch_all(pg_query($connection, 'SELECT * FROM slow ORDER BY number'))];
    }

    public function limit(float $seconds): mixed
    {
        $connection = Postgres::connect(Postgres::timeout($seconds));
        pg_query($connection, Postgres::slowTable(5));

        return [pg_copy_from($connection, 'slow', ["1\tone\n"]), pg_last_error($connection)];
    }
};
