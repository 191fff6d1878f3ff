<?php

/** As mysqli-query, on a connection that outlives the request. */

declare(strict_types=1);

use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $connection = MariaDb::connect(persistent: true);

        return $connection->query("SELECT 42 AS answer, SLEEP($seconds) AS slept")->fetch_all(MYSQLI_ASSOC);
    }

    public function limit(float $seconds): mixed
    {
        return MariaDb::connect(persistent: true)->query(MariaDb::limited($seconds, 'SELECT SLEEP(5)'))->fetch_all();
    }
};
