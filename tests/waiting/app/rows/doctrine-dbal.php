<?php

/** Doctrine DBAL on PostgreSQL; statement_timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Doctrine;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $sql = "SELECT word, pg_sleep(?) FROM (VALUES ('a')) AS words (word)";

        return Doctrine::connection()->fetchAllAssociative($sql, [$seconds]);
    }

    public function limit(float $seconds): mixed
    {
        $connection = Doctrine::connection();
        $connection->executeStatement('SET statement_timeout = ' . (int) ($seconds * 1000));

        return $connection->executeQuery('SELECT pg_sleep(5)')->fetchOne();
    }
};
