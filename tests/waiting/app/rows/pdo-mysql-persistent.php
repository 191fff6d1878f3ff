<?php

/** As pdo-mysql-query, on a connection that outlives the request. */

declare(strict_types=1);

use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $pdo = MariaDb::pdo([PDO::ATTR_PERSISTENT => true]);

        return $pdo->query("SELECT 42 AS answer, SLEEP($seconds) AS slept")->fetchAll(PDO::FETCH_ASSOC);
    }

    public function limit(float $seconds): mixed
    {
        return MariaDb::pdo([PDO::ATTR_PERSISTENT => true])->query(MariaDb::limited($seconds, 'SELECT SLEEP(5)'))->fetchAll();
    }
};
