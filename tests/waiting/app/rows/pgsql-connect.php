<?php

/** The server accepts the connection late; libpq's connect_timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Late;
use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $settings = Settings::of('Postgres');
        $connection = Postgres::connect(['port' => Late::port($seconds, $settings['host'], $settings['port'])]);

        return pg_fetch_all(pg_query($connection, 'SELECT 42 AS answer'));
    }

    public function limit(float $seconds): mixed
    {
        // libpq takes no less than 2 s.
        $limit = (string) max(2, ceil($seconds));

        return pg_connect(Postgres::parameters(['port' => Late::silentPort(), 'connect_timeout' => $limit]));
    }
};
