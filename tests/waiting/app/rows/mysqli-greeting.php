<?php

/** As mysqli-connect; MYSQLI_OPT_READ_TIMEOUT, which takes whole seconds, is the limit of the greeting. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Late;
use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $settings = Settings::of('MariaDb');
        $port = Late::port($seconds, $settings['host'], $settings['port']);
        $connection = MariaDb::connect([MYSQLI_OPT_READ_TIMEOUT => (int) ceil($seconds) + 30], port: $port);

        return $connection->query('SELECT 42 AS answer')->fetch_all(MYSQLI_ASSOC);
    }

    public function limit(float $seconds): mixed
    {
        return MariaDb::connect([MYSQLI_OPT_READ_TIMEOUT => (int) ceil($seconds)], port: Late::silentPort());
    }
};
