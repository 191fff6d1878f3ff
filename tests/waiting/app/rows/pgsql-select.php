<?php

/** stream_select() on pg_socket() until the answer is there, as event loops do; its argument is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $connection = Postgres::connect();
        pg_send_query($connection, "SELECT 42 AS answer, pg_sleep($seconds)");
        $ready = Postgres::select($connection, 10);

        return [$ready, pg_fetch_all(pg_get_result($connection))];
    }

    public function limit(float $seconds): mixed
    {
        $connection = Postgres::connect();
        pg_send_query($connection, 'SELECT pg_sleep(5)');
        $ready = Postgres::select($connection, $seconds);

        return [$ready, pg_connection_busy($connection), pg_cancel_query($connection)];
    }
};
