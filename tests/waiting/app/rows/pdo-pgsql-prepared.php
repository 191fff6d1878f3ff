<?php

/** A statement that the server has prepared; statement_timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return $this->ask(Postgres::pdo(), $seconds);
    }

    public function limit(float $seconds): mixed
    {
        return $this->ask(Postgres::pdo(Postgres::timeout($seconds)), 5);
    }

    /** @return list<array<string, mixed>> */
    private function ask(PDO $pdo, float $seconds): array
    {
        $statement = $pdo->prepare('SELECT CAST(:number AS int) * 2 AS answer, pg_sleep(:seconds)');
        $statement->execute(['number' => 21, 'seconds' => $seconds]);

        return $statement->fetchAll(PDO::FETCH_ASSOC);
    }
};
