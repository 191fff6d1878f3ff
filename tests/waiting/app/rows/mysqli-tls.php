<?php

/** As mysqli-query, through TLS with a certificate that is checked. */

declare(strict_types=1);

use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $connection = MariaDb::connect(flags: MYSQLI_CLIENT_SSL);
        [$answer] = $connection->query("SELECT REPEAT('x', 100000), SLEEP($seconds)")->fetch_row();

        return [strlen($answer), $connection->query("SHOW STATUS LIKE 'Ssl_version'")->fetch_row()];
    }

    public function limit(float $seconds): mixed
    {
        $connection = MariaDb::connect(flags: MYSQLI_CLIENT_SSL);

        return $connection->query(MariaDb::limited($seconds, 'SELECT SLEEP(5)'))->fetch_all();
    }
};
