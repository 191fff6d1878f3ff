<?php

/**
 * COPY FROM STDIN line by line: more than the socket holds while the trigger sleeps, so that writing waits, too.
 */

declare(strict_types=1);

use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;
use PgSql\Connection;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $connection = Postgres::connect();
        $ended = $this->copy($connection, $seconds);
        $found = pg_fetch_all(pg_query($connection, 'SELECT count(*), sum(number), sum(length(word)) FROM slow'));

        return [$ended, $found];
    }

    public function limit(float $seconds): mixed
    {
        $connection = Postgres::connect(Postgres::timeout($seconds));

        return [$this->copy($connection, 5), pg_last_error($connection)];
    }

    private function copy(Connection $connection, float $seconds): bool
    {
        // The first row alone sleeps.
        pg_query($connection, Postgres::slowTable($seconds, 'NEW.number = 1'));
        pg_query($connection, 'COPY slow FROM STDIN');
        for ($number = 1; $number <= 100; $number++) {
            pg_put_line($connection, "$number\t" . str_repeat('x', 100_000) . "\n");
        }
        pg_put_line($connection, "\\.\n");

        return pg_end_copy($connection);
    }
};
