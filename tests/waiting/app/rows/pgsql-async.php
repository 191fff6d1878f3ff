<?php

/** pg_send_query() and pg_get_result(), which waits; statement_timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $connection = Postgres::connect();
        pg_send_query($connection, "SELECT 1 AS first, pg_sleep($seconds); SELECT 2 AS second");
        $answers = [];
        while (($result = pg_get_result($connection)) !== false) {
            $answers[] = pg_fetch_all($result);
        }

        return $answers;
    }

    public function limit(float $seconds): mixed
    {
        $connection = Postgres::connect(Postgres::timeout($seconds));
        pg_send_query($connection, 'SELECT pg_sleep(5)');
        $result = pg_get_result($connection);

        return [pg_result_status($result), pg_result_error_field($result, PGSQL_DIAG_SQLSTATE), pg_result_error($result)];
    }
};
