<?php

/**
 * Rows that the server sends one by one, each after a wait; mysqlnd's net_read_timeout is the limit, which takes whole
 * seconds.
 */

declare(strict_types=1);

use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return $this->read($seconds / 3);
    }

    public function limit(float $seconds): mixed
    {
        $before = ini_set('mysqlnd.net_read_timeout', (string) ceil($seconds));
        try {
            return $this->read(2);
        } finally {
            ini_set('mysqlnd.net_read_timeout', $before);
        }
    }

    /** @return list<list<int>> rows so large that the server does not keep them back */
    private function read(float $seconds): array
    {
        $rows = [];
        $query = "SELECT seq, SLEEP($seconds) AS slept, REPEAT('x', 100000) AS many FROM seq_1_to_3";
        foreach (MariaDb::pdo([PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => false])->query($query) as $row) {
            $rows[] = [(int) $row['seq'], strlen($row['many'])];
        }

        return $rows;
    }
};
