<?php

/** A row that another session has locked; innodb_lock_wait_timeout is the limit, which takes whole seconds. */

declare(strict_types=1);

use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    private mysqli $holder;

    public function wait(float $seconds): mixed
    {
        $number = $this->lockElsewhere($seconds);

        return MariaDb::connect()->query("UPDATE locked SET number = -$number WHERE number = $number");
    }

    public function limit(float $seconds): mixed
    {
        $number = $this->lockElsewhere(5);
        $connection = MariaDb::connect();
        $connection->query('SET innodb_lock_wait_timeout = ' . (int) ceil($seconds));

        return $connection->query("UPDATE locked SET number = -$number WHERE number = $number");
    }

    private function lockElsewhere(float $seconds): int
    {
        $number = random_int(1, PHP_INT_MAX);
        $this->holder = MariaDb::connect();
        $this->holder->query("INSERT INTO locked VALUES ($number)");
        $this->holder->begin_transaction();
        $this->holder->query("SELECT * FROM locked WHERE number = $number FOR UPDATE");
        // In one text: nobody is there to send the second statement.
        $this->holder->query("BEGIN NOT ATOMIC DO SLEEP($seconds); COMMIT; END", MYSQLI_ASYNC);

        return $number;
    }
};
