<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Certificate;
use Howdah\WaitingTests\Component;
use Howdah\WaitingTests\Daemon;
use PgSql\Connection;
use RuntimeException;

/** PostgreSQL on TCP, also with TLS, and on a Unix socket; anyone may log in as postgres. */
final class Postgres implements Component
{
    /** Sessions at once: more than a crowd of 500. */
    private const CONNECTIONS = 520;

    /** For App\Postgres::slowTable(): its argument is how many seconds it sleeps. */
    private const TRIGGER = "CREATE FUNCTION sleep() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN PERFORM pg_sleep(TG_ARGV[0]::float8); RETURN NEW; END'";

    private readonly Daemon $daemon;
    private readonly string $programs;
    private readonly int $port;

    public function __construct()
    {
        $folders = glob('/usr/lib/postgresql/*/bin') ?: throw new RuntimeException('PostgreSQL is not installed');
        natsort($folders);
        $this->programs = (string) end($folders);
        $this->port = Server::freePort();
        // SIGINT: sessions are ended, not waited for.
        $this->daemon = new Daemon('postgres', ['postgres', 'nobody'], SIGINT);
    }

    public function start(): void
    {
        $data = "{$this->daemon->folder}/data";
        $this->daemon->run([
            "{$this->programs}/initdb",
            ...['--pgdata', $data, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'],
        ]);
        Certificate::write($this->daemon->folder);
        $settings = [
            'listen_addresses' => '127.0.0.1',
            'port' => (string) $this->port,
            'unix_socket_directories' => $this->daemon->folder,
            'max_connections' => (string) self::CONNECTIONS,
            'shared_buffers' => '16MB',
            'fsync' => 'off',
            'autovacuum' => 'off',
            'wal_level' => 'minimal',
            'max_wal_senders' => '0',
            'max_parallel_workers' => '0',
            'ssl' => 'on',
            'ssl_cert_file' => "{$this->daemon->folder}/server.crt",
            'ssl_key_file' => "{$this->daemon->folder}/server.key",
        ];
        $lines = array_map(static fn (string $name): string => "$name = '{$settings[$name]}'\n", array_keys($settings));
        file_put_contents("$data/postgresql.conf", $lines, FILE_APPEND);
        $this->launch();
        pg_query($this->connect() ?: throw new RuntimeException('PostgreSQL has gone'), self::TRIGGER);
    }

    public function settings(): array
    {
        return [
            'host' => '127.0.0.1',
            'port' => (string) $this->port,
            // libpq takes the folder of a Unix socket as a host.
            'socket' => $this->daemon->folder,
            'certificate' => "{$this->daemon->folder}/server.crt",
        ];
    }

    /** How many sessions are in pg_sleep(). */
    public function sleeping(): int
    {
        $connection = $this->connect() ?: throw new RuntimeException('PostgreSQL has gone');
        $found = pg_query($connection, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");

        return $found === false ? 0 : (int) pg_fetch_result($found, 0, 0);
    }

    /** Kills the server and its sessions in the middle of whatever they do. */
    public function kill(): void
    {
        // It would end them in its own way, and they would end in theirs when it has gone.
        $pid = $this->daemon->pid();
        posix_kill($pid, SIGSTOP);
        $sessions = trim((string) @file_get_contents("/proc/$pid/task/$pid/children"));
        $sessions = $sessions === '' ? [] : array_map(intval(...), explode(' ', $sessions));
        array_map(static fn (int $session): bool => posix_kill($session, SIGKILL), $sessions);
        $this->daemon->end(SIGKILL);
        foreach ($sessions as $session) {
            // A new postmaster refuses to start while one of them has the old shared memory; a zombie has not.
            while (@readlink("/proc/$session/exe") !== false) {
                usleep(1_000);
            }
        }
    }

    /** After kill(): the same data, port and socket. Nothing happens when it runs. */
    public function launch(): void
    {
        if ($this->daemon->isRunning()) {
            return;
        }
        $this->daemon->start(
            ["{$this->programs}/postgres", '-D', "{$this->daemon->folder}/data"],
            fn (): bool => $this->connect() !== false,
        );
    }

    public function stop(): void
    {
        $this->daemon->remove();
    }

    private function connect(): Connection|false
    {
        $parameters = "host={$this->daemon->folder} port={$this->port} user=postgres dbname=postgres";

        return @pg_connect($parameters, PGSQL_CONNECT_FORCE_NEW);
    }
}
