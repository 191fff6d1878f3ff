<?php

/** Several statements in one call, their results one after another; max_statement_time is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $third = $seconds / 3;

        return $this->ask("SELECT 1, SLEEP($third); SELECT 2, SLEEP($third); SELECT 3, SLEEP($third)");
    }

    public function limit(float $seconds): mixed
    {
        return $this->ask('SELECT 1; ' . MariaDb::limited($seconds, 'SELECT SLEEP(5)'));
    }

    /** @return list<list<mixed>> */
    private function ask(string $queries): array
    {
        $connection = MariaDb::connect();
        $connection->multi_query($queries);
        $rows = [];
        do {
            $rows[] = $connection->store_result()->fetch_row();
        } while ($connection->next_result());

        return $rows;
    }
};
