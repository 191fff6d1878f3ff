<?php

/** For PersistentTest: an answer that tells which question it belongs to, over a connection that outlives the request. */

declare(strict_types=1);

use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\RedisPeer;
use Howdah\WaitingTests\App\Settings;
use Howdah\WaitingTests\App\WithoutLimit;
use MongoDB\Driver\Command;
use MongoDB\Driver\Manager;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        if (isset($_GET['asks'])) {
            touch(Settings::folder() . '/' . basename($_GET['asks']));
        }
        $persistent = [PDO::ATTR_PERSISTENT => true];
        $sql = "SELECT '$seconds' AS answer, ";

        return match ($_GET['kind'] ?? '') {
            'pdo_pgsql' => Postgres::pdo(options: $persistent)->query("$sql pg_sleep($seconds)")->fetchColumn(),
            'pgsql' => pg_fetch_result(pg_query(pg_pconnect(Postgres::parameters()), "$sql pg_sleep($seconds)"), 0, 0),
            'pdo_mysql' => MariaDb::pdo($persistent)->query("$sql SLEEP($seconds)")->fetchColumn(),
            'mysqli' => MariaDb::connect(persistent: true)->query("$sql SLEEP($seconds)")->fetch_column(),
            'redis' => $this->ask($seconds),
            'mongodb' => $this->mongodb((string) $_GET['port'], $seconds),
        };
    }

    /** The extension keeps its clients by their addresses. */
    private function mongodb(string $port, float $seconds): mixed
    {
        $manager = new Manager("mongodb://127.0.0.1:$port/?directConnection=true");
        $command = new Command(['sleep' => (int) round($seconds * 1000)]);

        return $manager->executeCommand('admin', $command)->toArray()[0]->slept / 1000;
    }

    /** What is pushed for the first question must not answer the second. */
    private function ask(float $seconds): mixed
    {
        $redis = new Redis();
        $redis->pconnect(RedisPeer::setting('host'), (int) RedisPeer::setting('port'), 1, 'end-persistent');
        $key = "end-persistent-$seconds";
        $other = RedisPeer::later($seconds, "RPUSH $key $seconds");
        $answer = $redis->blPop([$key], 30)[1] ?? null;
        fclose($other);

        return $answer;
    }
};
