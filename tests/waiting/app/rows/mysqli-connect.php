<?php

/** The server greets late; MYSQLI_OPT_CONNECT_TIMEOUT, which takes whole seconds, is the limit of the connection alone. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Late;
use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $settings = Settings::of('MariaDb');
        $connection = MariaDb::connect(port: Late::port($seconds, $settings['host'], $settings['port']));

        return $connection->query('SELECT 42 AS answer')->fetch_all(MYSQLI_ASSOC);
    }

    public function limit(float $seconds): mixed
    {
        return MariaDb::connect([MYSQLI_OPT_CONNECT_TIMEOUT => (int) ceil($seconds)], port: Late::fullPort());
    }
};
