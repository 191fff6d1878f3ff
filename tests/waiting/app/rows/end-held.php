<?php

/**
 * For PersistentEndTest: a connection that outlives the request, `kind` through the port `port`. When it has been used the file
 * `held` is written; when the file `go` is there the request ends as `end` says: `cancel` writes a file `held-KIND-asks` and
 * asks.
 */

declare(strict_types=1);

use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Odbc;
use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Settings;
use Howdah\WaitingTests\App\WithoutLimit;
use MongoDB\Driver\Command;
use MongoDB\Driver\Manager;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        ['kind' => $kind, 'port' => $port, 'end' => $end, 'held' => $held, 'go' => $go] = $_GET;
        $ask = $this->connect($kind, $port);
        $answer = $ask();
        // Whole when it is there: who waits for the last of these reads them at once.
        [$folder, $name] = [Settings::folder(), basename($held)];
        file_put_contents("$folder/new-$name", json_encode($answer));
        rename("$folder/new-$name", "$folder/$name");
        while (!is_file(Settings::folder() . '/' . basename($go))) {
            usleep(10_000);
            clearstatcache();
        }
        match ($end) {
            'exit' => exit,
            'fatal' => str_repeat('x', 1 << 30),
            'cancel' => touch(Settings::folder() . '/held-' . basename($kind) . '-asks') ? $ask() : null,
            default => null,
        };

        return $answer;
    }

    /** @return callable(): mixed what asks the server something */
    private function connect(string $kind, string $port): callable
    {
        $persistent = [PDO::ATTR_PERSISTENT => true];
        $pdo = match ($kind) {
            'pdo_mysql' => MariaDb::pdo($persistent, ['port' => $port]),
            'pdo_odbc' => new PDO('odbc:' . Odbc::parameters($port), null, null, $persistent),
            'pdo_pgsql' => Postgres::pdo(['port' => $port], $persistent),
            default => null,
        };

        return $pdo !== null ? static fn (): mixed => (int) $pdo->query('SELECT 42')->fetchColumn() : match ($kind) {
            'amqp' => $this->amqp($port),
            'memcached' => $this->memcached($port),
            'mongodb' => $this->mongodb($port),
            'mysqli' => $this->mysqli($port),
            'odbc' => $this->odbc($port),
            'pfsockopen' => $this->pfsockopen($port),
            'pgsql' => $this->pgsql($port),
            'redis' => $this->redis($port),
        };
    }

    private function amqp(string $port): callable
    {
        $where = ['host' => '127.0.0.1', 'port' => (int) $port, 'login' => 'guest', 'password' => 'guest'];
        $connection = new AMQPConnection($where);
        $connection->pconnect();

        return static fn (): mixed => (new AMQPChannel($connection))->isConnected() ? 42 : 0;
    }

    private function memcached(string $port): callable
    {
        $memcached = new Memcached('held');
        if ($memcached->getServerList() === []) {
            // One that waits for as long as it takes.
            $memcached->setOption(Memcached::OPT_POLL_TIMEOUT, 300_000);
            $memcached->addServer('127.0.0.1', (int) $port);
        }

        return static fn (): mixed => $memcached->set('held', 42) ? $memcached->get('held') : $memcached->getResultMessage();
    }

    private function mongodb(string $port): callable
    {
        $manager = new Manager("mongodb://127.0.0.1:$port/?directConnection=true&socketTimeoutMS=300000");

        return static fn (): mixed => $manager->executeCommand('admin', new Command(['ping' => 1]))->toArray()[0]->ok * 42;
    }

    private function mysqli(string $port): callable
    {
        $mysqli = MariaDb::connect(persistent: true, port: $port);

        return static fn (): mixed => (int) $mysqli->query('SELECT 42')->fetch_column();
    }

    private function odbc(string $port): callable
    {
        $odbc = odbc_pconnect(Odbc::parameters($port), '', '');

        return static fn (): mixed => (int) odbc_result(odbc_exec($odbc, 'SELECT 42 AS number'), 'number');
    }

    /** Redis, as it has a protocol that can be spoken by hand. */
    private function pfsockopen(string $port): callable
    {
        $socket = pfsockopen('127.0.0.1', (int) $port);
        stream_set_timeout($socket, 300);

        return static function () use ($socket): mixed {
            fwrite($socket, "ECHO 42\r\n");

            return fgets($socket) === "\$2\r\n" ? (int) fgets($socket) : 0;
        };
    }

    private function pgsql(string $port): callable
    {
        $pgsql = pg_pconnect(Postgres::parameters(['port' => $port]));

        return static fn (): mixed => (int) pg_fetch_result(pg_query($pgsql, 'SELECT 42'), 0, 0);
    }

    private function redis(string $port): callable
    {
        $redis = new Redis();
        $redis->pconnect('127.0.0.1', (int) $port, 300, 'held');

        return static fn (): mixed => (int) $redis->echo('42');
    }
};
