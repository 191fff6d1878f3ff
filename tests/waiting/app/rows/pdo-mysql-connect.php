<?php

/** The server greets late; PDO::ATTR_TIMEOUT, which takes whole seconds, is the limit of the connection alone. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Late;
use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $settings = Settings::of('MariaDb');
        $pdo = MariaDb::pdo([], ['port' => Late::port($seconds, $settings['host'], $settings['port'])]);

        return $pdo->query('SELECT 42')->fetchColumn();
    }

    public function limit(float $seconds): mixed
    {
        return MariaDb::pdo([PDO::ATTR_TIMEOUT => (int) ceil($seconds)], ['port' => Late::fullPort()]);
    }
};
