<?php

/** PDO asks PostgreSQL; its statement_timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return Postgres::pdo()->query("SELECT 42 AS answer, pg_sleep($seconds)")->fetchAll(PDO::FETCH_ASSOC);
    }

    public function limit(float $seconds): mixed
    {
        return Postgres::pdo(Postgres::timeout($seconds))->query('SELECT pg_sleep(5)')->fetchAll();
    }
};
