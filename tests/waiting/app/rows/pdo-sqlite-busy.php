<?php

/** pdo_sqlite: a transaction while another process writes. Limit: PDO::ATTR_TIMEOUT, in whole seconds. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Holder;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return $this->write($seconds, 30);
    }

    public function limit(float $seconds): mixed
    {
        return $this->write(5, (int) ceil($seconds));
    }

    private function write(float $seconds, int $limit): mixed
    {
        $file = Holder::file();
        $holder = Holder::hold('sqlite', $file, $seconds);
        $database = new PDO("sqlite:$file", options: [PDO::ATTR_TIMEOUT => $limit]);
        $database->exec('BEGIN IMMEDIATE');
        $database->exec("INSERT INTO held VALUES ('row')");
        $database->exec('COMMIT');

        return [$database->query('SELECT * FROM held ORDER BY 1')->fetchAll(PDO::FETCH_COLUMN), fclose($holder)];
    }
};
