<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PDO;
use PDOException;
use PHPUnit\Framework\Attributes\DataProvider;

/** An SQLite database that requests write to, while nginx sends its file, and others read it. */
final class DatabaseTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/app/nginx';

    private const COUNTS = 12;

    /** This test's process is the other one that would write, if it could. */
    #[DataProvider('modes')]
    public function test_nginx_sends_a_database_and_leaves_it_locked(string $mode): void
    {
        $database = $this->database();
        $client = $this->serve($mode, "location /data/ { alias {$this->folder}/; }");
        $uri = "/transaction?database={$this->folder}/data.db&begun={$this->folder}/begun&done={$this->folder}/done";
        $seen = [];

        $answers = $client->all([$uri], function () use ($client, $database, &$seen): void {
            if ($seen !== [] || !file_exists("{$this->folder}/begun")) {
                return;
            }
            foreach ([[], [CURLOPT_RANGE => '0-15'], [CURLOPT_NOBODY => true]] as $options) {
                $seen[] = $client->get('/data/data.db', $options)->status;
            }
            try {
                $database->exec('begin immediate');
                $seen[] = 'not locked';
            } catch (PDOException $error) {
                $seen[] = $error->errorInfo[2] ?? '';
            }
            touch("{$this->folder}/done");
        });

        self::assertSame([200, 206, 200, 'database is locked'], $seen, $this->log());
        self::assertSame('committed', $answers[0]->body);
        self::assertSame(['1', 'ok'], $this->state($database));
    }

    #[DataProvider('modes')]
    public function test_two_workers_count_and_lose_nothing(string $mode): void
    {
        $database = $this->database();
        $edits = ['worker_processes 1;' => 'worker_processes 2;'];
        // So that the kernel, and not who is faster, gives each worker its part.
        $client = $this->serve($mode, "location /data/ { alias {$this->folder}/; }", $edits, ' reuseport');
        $read = array_fill(0, 6, "/read-database?database={$this->folder}/data.db");
        $count = array_fill(0, self::COUNTS, "/count-in-database?database={$this->folder}/data.db");
        $download = array_fill(0, self::COUNTS, '/data/data.db');

        $answers = $client->all([...$read, ...$count, ...$download]);

        $bodies = array_map(static fn (Response $answer): string => $answer->body, array_slice($answers, 0, -self::COUNTS));
        self::assertSame(['read' => 6, 'counted' => self::COUNTS], array_count_values($bodies), $this->log());
        self::assertSame([(string) (5 * self::COUNTS), 'ok'], $this->state($database));
    }

    private function database(): PDO
    {
        $database = new PDO("sqlite:{$this->folder}/data.db", options: [PDO::ATTR_TIMEOUT => 0]);
        $database->exec('create table t (n integer); insert into t values (0)');

        return $database;
    }

    /** @return list<mixed> the counter, and what SQLite thinks of the file */
    private function state(PDO $database): array
    {
        $database->setAttribute(PDO::ATTR_TIMEOUT, 60);
        $state = [];
        foreach (['select cast(n as text) from t', 'pragma integrity_check'] as $sql) {
            $row = $database->query($sql);
            self::assertNotFalse($row);
            $state[] = $row->fetchColumn();
        }

        return $state;
    }
}
