<?php

/** A statement that the server has prepared; its max_statement_time is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return $this->ask('SELECT ? * 2 AS answer, SLEEP(?) AS slept', 21, $seconds);
    }

    public function limit(float $seconds): mixed
    {
        return $this->ask(MariaDb::limited($seconds, 'SELECT ? * 2 AS answer, SLEEP(?) AS slept'), 21, 5);
    }

    /** @return list<array<string, mixed>> */
    private function ask(string $query, int $number, float $seconds): array
    {
        $connection = MariaDb::connect();
        $statement = $connection->prepare($query);
        $statement->bind_param('id', $number, $seconds);
        $statement->execute();

        return $statement->get_result()->fetch_all(MYSQLI_ASSOC);
    }
};
