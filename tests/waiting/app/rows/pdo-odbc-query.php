<?php

/** pdo_odbc on psqlODBC: a slow query. Limit: the server's statement_timeout. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Odbc;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $pdo = new PDO("odbc:" . Odbc::parameters());

        return $pdo->query("SELECT pg_sleep($seconds), 42 AS number")->fetchAll();
    }

    public function limit(float $seconds): mixed
    {
        $pdo = new PDO("odbc:" . Odbc::parameters());
        $pdo->exec('SET statement_timeout = ' . (int) ($seconds * 1000));

        return $pdo->query('SELECT pg_sleep(5)');
    }
};
