<?php

/** As pdo-pgsql-query, on a connection that outlives the request. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $pdo = Postgres::pdo(options: [PDO::ATTR_PERSISTENT => true]);

        return $pdo->query("SELECT 42 AS answer, pg_sleep($seconds)")->fetchAll(PDO::FETCH_ASSOC);
    }

    public function limit(float $seconds): mixed
    {
        $pdo = Postgres::pdo(Postgres::timeout($seconds), [PDO::ATTR_PERSISTENT => true]);

        return $pdo->query('SELECT pg_sleep(5)')->fetchAll();
    }
};
