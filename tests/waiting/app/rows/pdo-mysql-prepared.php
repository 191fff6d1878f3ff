<?php

/** A statement that the server has prepared; its max_statement_time is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return $this->ask('SELECT :number * 2 AS answer, SLEEP(:seconds) AS slept', $seconds);
    }

    public function limit(float $seconds): mixed
    {
        return $this->ask(MariaDb::limited($seconds, 'SELECT :number * 2 AS answer, SLEEP(:seconds) AS slept'), 5);
    }

    /** @return list<array<string, mixed>> */
    private function ask(string $query, float $seconds): array
    {
        $statement = MariaDb::pdo([PDO::ATTR_EMULATE_PREPARES => false])->prepare($query);
        $statement->execute(['number' => 21, 'seconds' => $seconds]);

        return $statement->fetchAll(PDO::FETCH_ASSOC);
    }
};
