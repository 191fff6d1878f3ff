<?php

/** pg_copy_to() of a query that sleeps for each row; statement_timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return pg_copy_to(Postgres::connect(), $this->rows($seconds));
    }

    public function limit(float $seconds): mixed
    {
        $connection = Postgres::connect(Postgres::timeout($seconds));

        return [pg_copy_to($connection, $this->rows(5)), pg_last_error($connection)];
    }

    /** A query that takes that long. */
    private function rows(float $seconds): string
    {
        return '(SELECT number, pg_sleep(' . $seconds / 3 . ') FROM generate_series(1, 3) AS number)';
    }
};
