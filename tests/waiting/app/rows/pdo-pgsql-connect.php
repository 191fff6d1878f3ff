<?php

/** The server accepts the connection late; PDO::ATTR_TIMEOUT, libpq's connect_timeout, is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Late;
use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $settings = Settings::of('Postgres');
        $pdo = Postgres::pdo(['port' => Late::port($seconds, $settings['host'], $settings['port'])]);

        return $pdo->query('SELECT 42')->fetchColumn();
    }

    public function limit(float $seconds): mixed
    {
        // libpq takes no less than 2 s.
        return Postgres::pdo(['port' => Late::silentPort()], [PDO::ATTR_TIMEOUT => max(2, (int) ceil($seconds))]);
    }
};
