<?php

/** LOAD DATA LOCAL INFILE: the client sends a file while the server sleeps; max_statement_time is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return $this->load('%s', $seconds);
    }

    public function limit(float $seconds): mixed
    {
        return $this->load(MariaDb::limited($seconds, '%s'), 5);
    }

    /** @return list<array<string, mixed>> */
    private function load(string $form, float $seconds): array
    {
        $connection = MariaDb::pdo([PDO::MYSQL_ATTR_LOCAL_INFILE => true]);
        $connection->exec('CREATE TEMPORARY TABLE slow (number int, word text)');
        $file = tempnam(Settings::folder(), 'lines');
        foreach (range(1, 100) as $number) {
            file_put_contents($file, "$number\t" . str_repeat('x', 50_000) . "\n", FILE_APPEND);
        }
        try {
            // The first line alone sleeps.
            $number = "@number + IF(@number = 1, SLEEP($seconds), 0)";
            $load = "LOAD DATA LOCAL INFILE '$file' INTO TABLE slow (@number, word) SET number = $number";
            $connection->exec(sprintf($form, $load));
        } finally {
            unlink($file);
        }

        return $connection->query('SELECT COUNT(*), SUM(number), SUM(LENGTH(word)) FROM slow')->fetchAll(PDO::FETCH_ASSOC);
    }
};
