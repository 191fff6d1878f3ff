<?php

/** For EndTest: a script that ends in the middle of COPY FROM STDIN, over which php-cli computes for ever (ext/pgsql, 8.2). */

declare(strict_types=1);

use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $connection = Postgres::connect();
        pg_query($connection, 'CREATE TEMPORARY TABLE unfinished (number int)');
        pg_query($connection, 'COPY unfinished FROM STDIN');
        pg_put_line($connection, "1\n");

        return 'left';
    }
};
