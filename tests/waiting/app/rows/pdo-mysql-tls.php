<?php

/** As pdo-mysql-query, through TLS with a certificate that is checked. */

declare(strict_types=1);

use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $pdo = $this->connect();
        $answer = $pdo->query("SELECT REPEAT('x', 100000), SLEEP($seconds)")->fetchColumn();

        return [strlen($answer), $pdo->query("SHOW STATUS LIKE 'Ssl_version'")->fetchAll(PDO::FETCH_NUM)];
    }

    public function limit(float $seconds): mixed
    {
        return $this->connect()->query(MariaDb::limited($seconds, 'SELECT SLEEP(5)'))->fetchAll();
    }

    private function connect(): PDO
    {
        return MariaDb::pdo([PDO::MYSQL_ATTR_SSL_CA => Settings::of('MariaDb')['certificate']]);
    }
};
