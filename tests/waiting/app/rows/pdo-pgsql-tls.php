<?php

/** As pdo-pgsql-query, through TLS with a certificate that is checked. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $pdo = Postgres::pdo(Postgres::tls());
        $answer = $pdo->query("SELECT repeat('x', 100000), pg_sleep($seconds)")->fetchColumn();
        $how = 'SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()';

        return [strlen($answer), $pdo->query($how)->fetchAll(PDO::FETCH_ASSOC)];
    }

    public function limit(float $seconds): mixed
    {
        return Postgres::pdo(Postgres::tls() + Postgres::timeout($seconds))->query('SELECT pg_sleep(5)')->fetchAll();
    }
};
