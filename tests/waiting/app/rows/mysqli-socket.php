<?php

/** As mysqli-query, on a Unix socket. */

declare(strict_types=1);

use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return $this->connect()->query("SELECT 42 AS answer, SLEEP($seconds) AS slept")->fetch_all(MYSQLI_ASSOC);
    }

    public function limit(float $seconds): mixed
    {
        return $this->connect()->query(MariaDb::limited($seconds, 'SELECT SLEEP(5)'))->fetch_all();
    }

    private function connect(): mysqli
    {
        return new mysqli('localhost', 'php', 'secret', 'test', null, Settings::of('MariaDb')['socket']);
    }
};
