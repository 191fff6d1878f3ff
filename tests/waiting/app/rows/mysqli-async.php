<?php

/** MYSQLI_ASYNC on two connections, mysqli_poll(), whose argument is the limit, and mysqli_reap_async_query(). */

declare(strict_types=1);

use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $answers = [];
        $waiting = [$this->ask(1, $seconds / 2), $this->ask(2, $seconds)];
        while ($waiting !== []) {
            $ready = $this->poll($waiting, 60);
            foreach ($ready as $connection) {
                $answers[] = $connection->reap_async_query()->fetch_all(MYSQLI_ASSOC);
            }
            $waiting = array_values(array_filter($waiting, static fn (mysqli $one): bool => !in_array($one, $ready, true)));
        }

        return $answers;
    }

    public function limit(float $seconds): mixed
    {
        return count($this->poll([$this->ask(1, 5)], $seconds));
    }

    private function ask(int $number, float $seconds): mysqli
    {
        $connection = MariaDb::connect();
        $connection->query("SELECT $number AS number, SLEEP($seconds) AS slept", MYSQLI_ASYNC);

        return $connection;
    }

    /**
     * @param  list<mysqli> $ready
     * @return list<mysqli> those that have an answer
     */
    private function poll(array $ready, float $seconds): array
    {
        $failed = $refused = $ready;

        return mysqli::poll($ready, $failed, $refused, (int) $seconds, (int) (fmod($seconds, 1) * 1_000_000)) > 0 ? $ready : [];
    }
};
