<?php

/** An answer that takes longer than MYSQLI_OPT_READ_TIMEOUT, which takes whole seconds. */

declare(strict_types=1);

use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $connection = MariaDb::connect([MYSQLI_OPT_READ_TIMEOUT => (int) ceil($seconds) + 30]);

        return $connection->query("SELECT 42 AS answer, SLEEP($seconds) AS slept")->fetch_all(MYSQLI_ASSOC);
    }

    public function limit(float $seconds): mixed
    {
        return MariaDb::connect([MYSQLI_OPT_READ_TIMEOUT => (int) ceil($seconds)])->query('SELECT SLEEP(5)')->fetch_all();
    }
};
