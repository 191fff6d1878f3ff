<?php

/** pg_prepare() and pg_execute(); statement_timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;
use PgSql\Connection;
use PgSql\Result;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return pg_fetch_all($this->ask(Postgres::connect(), $seconds));
    }

    public function limit(float $seconds): mixed
    {
        $connection = Postgres::connect(Postgres::timeout($seconds));

        return [$this->ask($connection, 5), pg_last_error($connection)];
    }

    private function ask(Connection $connection, float $seconds): Result|false
    {
        pg_prepare($connection, 'sleep', 'SELECT 21 * $1::int AS answer, pg_sleep($2)');

        return pg_execute($connection, 'sleep', [2, $seconds]);
    }
};
