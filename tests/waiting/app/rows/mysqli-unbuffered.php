<?php

/** MYSQLI_USE_RESULT: rows that the server sends one by one, each after a wait; max_statement_time is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return $this->read($this->query($seconds / 3));
    }

    public function limit(float $seconds): mixed
    {
        return $this->read(MariaDb::limited($seconds, $this->query(2)));
    }

    /** Rows so large that the server does not keep them back. */
    private function query(float $seconds): string
    {
        return "SELECT seq, SLEEP($seconds) AS slept, REPEAT('x', 100000) AS many FROM seq_1_to_3";
    }

    /** @return list<list<int>> */
    private function read(string $query): array
    {
        $rows = [];
        $connection = MariaDb::connect();
        foreach ($connection->query($query, MYSQLI_USE_RESULT) as $row) {
            $rows[] = [(int) $row['seq'], strlen($row['many'])];
        }

        return $rows;
    }
};
