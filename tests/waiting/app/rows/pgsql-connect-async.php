<?php

/** PGSQL_CONNECT_ASYNC: pg_connect_poll() and stream_select(), whose argument is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Late;
use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;
use PgSql\Connection;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $settings = Settings::of('Postgres');
        [$connection, $status] = $this->connect(Late::port($seconds, $settings['host'], $settings['port']), 10);

        return [$status, pg_fetch_all(pg_query($connection, 'SELECT 42 AS answer'))];
    }

    public function limit(float $seconds): mixed
    {
        return $this->connect(Late::silentPort(), $seconds)[1];
    }

    /** @return array{Connection, int} */
    private function connect(string $port, float $seconds): array
    {
        $connection = pg_connect(Postgres::parameters(['port' => $port]), PGSQL_CONNECT_ASYNC | PGSQL_CONNECT_FORCE_NEW);
        do {
            $status = pg_connect_poll($connection);
            $writes = $status === PGSQL_POLLING_WRITING;
        } while (($writes || $status === PGSQL_POLLING_READING) && Postgres::select($connection, $seconds, $writes) > 0);

        return [$connection, $status];
    }
};
