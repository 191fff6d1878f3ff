<?php

/** COPY in both directions, through a trigger and a query that sleep; statement_timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $pdo = Postgres::pdo();
        $pdo->exec(Postgres::slowTable($seconds / 3));
        $copied = $pdo->pgsqlCopyFromArray('slow', ["1\tone", "2\ttwo"]);
        $query = '(SELECT number, word, pg_sleep(' . $seconds / 3 . ') FROM slow ORDER BY number)';

        return [$copied, $pdo->pgsqlCopyToArray($query)];
    }

    public function limit(float $seconds): mixed
    {
        $pdo = Postgres::pdo(Postgres::timeout($seconds));
        $pdo->exec(Postgres::slowTable(5));

        return $pdo->pgsqlCopyFromArray('slow', ["1\tone"]);
    }
};
