<?php

/** ext/odbc on psqlODBC: a slow query. Limit: the server's statement_timeout. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Odbc;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $odbc = odbc_connect(Odbc::parameters(), '', '');
        $result = odbc_exec($odbc, "SELECT pg_sleep($seconds), 42 AS number");

        return odbc_fetch_array($result);
    }

    public function limit(float $seconds): mixed
    {
        $odbc = odbc_connect(Odbc::parameters(), '', '');
        odbc_exec($odbc, 'SET statement_timeout = ' . (int) ($seconds * 1000));
        $result = odbc_exec($odbc, 'SELECT pg_sleep(5)');

        return [$result, odbc_error($odbc), odbc_errormsg($odbc)];
    }
};
