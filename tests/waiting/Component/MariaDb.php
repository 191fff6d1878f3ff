<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Certificate;
use Howdah\WaitingTests\Component;
use Howdah\WaitingTests\Daemon;
use mysqli;
use mysqli_result;
use mysqli_sql_exception;

/** MariaDB on TCP, also with TLS, and on a Unix socket; php may log in with the password `secret`. */
final class MariaDb implements Component
{
    /** Sessions at once: more than a crowd of 500. */
    private const CONNECTIONS = 520;

    private const SMALL = ['--innodb-buffer-pool-size=16M', '--innodb-log-file-size=8M', '--skip-log-bin'];

    private const SETUP = "CREATE DATABASE test;\nCREATE USER php@'%' IDENTIFIED BY 'secret';\nGRANT ALL ON *.* TO php@'%';\n"
        . "CREATE TABLE test.locked (number BIGINT PRIMARY KEY) ENGINE=InnoDB;\n";

    private readonly Daemon $daemon;
    private readonly int $port;

    public function __construct()
    {
        $this->port = Server::freePort();
        $this->daemon = new Daemon('mariadb', ['mysql', 'nobody']);
    }

    public function start(): void
    {
        $folder = $this->daemon->folder;
        file_put_contents("$folder/setup.sql", self::SETUP);
        Certificate::write($folder);
        $this->daemon->run([
            'mariadb-install-db',
            ...['--no-defaults', "--datadir=$folder/data", '--auth-root-authentication-method=normal', '--skip-test-db'],
            ...self::SMALL,
        ]);
        $this->serve(["--init-file=$folder/setup.sql"]);
    }

    public function settings(): array
    {
        return [
            'host' => '127.0.0.1',
            'port' => (string) $this->port,
            'socket' => "{$this->daemon->folder}/socket",
            'certificate' => "{$this->daemon->folder}/server.crt",
        ];
    }

    /** How many sessions are in SLEEP(). */
    public function sleeping(): int
    {
        $found = $this->connect()->query("SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User sleep'");

        return $found instanceof mysqli_result ? (int) $found->fetch_column() : 0;
    }

    /** Kills the server in the middle of whatever it does. */
    public function kill(): void
    {
        $this->daemon->end(SIGKILL);
    }

    /** After kill(): the same data, port and socket. Nothing happens when it runs. */
    public function launch(): void
    {
        if ($this->daemon->isRunning()) {
            return;
        }
        $this->serve();
    }

    public function stop(): void
    {
        $this->daemon->remove();
    }

    /** @param list<string> $options */
    private function serve(array $options = []): void
    {
        $folder = $this->daemon->folder;
        $this->daemon->start(
            [
                'mariadbd',
                ...['--no-defaults', "--datadir=$folder/data", "--socket=$folder/socket", "--pid-file=$folder/pid"],
                ...['--bind-address=127.0.0.1', "--port={$this->port}", '--max-connections=' . self::CONNECTIONS],
                ...["--ssl-cert=$folder/server.crt", "--ssl-key=$folder/server.key", '--back-log=600'],
                ...['--local-infile=1', '--innodb-flush-log-at-trx-commit=0', ...self::SMALL, ...$options],
            ],
            $this->isReady(...),
        );
    }

    private function isReady(): bool
    {
        try {
            return $this->connect()->query('DO 1') !== false;
        } catch (mysqli_sql_exception) {
            return false;
        }
    }

    private function connect(): mysqli
    {
        return @new mysqli('localhost', 'php', 'secret', 'test', null, "{$this->daemon->folder}/socket");
    }
}
