<?php

/** An advisory lock that another session holds; lock_timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Cancelling;
use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    private Cancelling $holder;

    public function wait(float $seconds): mixed
    {
        $number = $this->lockElsewhere($seconds);

        return pg_fetch_all(pg_query(Postgres::connect(), "SELECT 42 AS answer, pg_advisory_lock($number)"));
    }

    public function limit(float $seconds): mixed
    {
        $number = $this->lockElsewhere(5);
        $connection = Postgres::connect(['options' => '-c lock_timeout=' . (int) ($seconds * 1000)]);

        return [pg_query($connection, "SELECT pg_advisory_lock($number)"), pg_last_error($connection)];
    }

    private function lockElsewhere(float $seconds): int
    {
        $number = random_int(1, PHP_INT_MAX);
        $this->holder = new Cancelling(Postgres::connect());
        pg_query($this->holder->connection, "SELECT pg_advisory_lock($number)");
        pg_send_query($this->holder->connection, "SELECT pg_sleep($seconds); SELECT pg_advisory_unlock($number)");

        return $number;
    }
};
