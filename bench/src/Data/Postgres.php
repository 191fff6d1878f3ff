<?php

declare(strict_types=1);

namespace Howdah\Bench\Data;

use Howdah\Bench\Machine\Missing;
use Howdah\Bench\Machine\Process;
use Howdah\Cli\Failure;
use Howdah\Cli\Program;
use Howdah\Cli\RuntimeFolder;
use PDO;
use PDOException;

/** A PostgreSQL. */
final class Postgres extends Store
{
    /** More than all contenders of a suite have together. */
    private const CONNECTIONS = 400;

    private const USER = 'postgres';

    private ?PDO $connection = null;

    /**
     * @param string       $data     SQL that is executed when it has started
     * @param list<string> $settings beside those that all have
     */
    public function __construct(private readonly string $data = '', private readonly array $settings = [])
    {
    }

    public function environment(): array
    {
        return [
            'DB_CONNECTION' => 'pgsql',
            'DB_HOST' => $this->address(),
            'DB_PORT' => '5432',
            'DB_DATABASE' => self::USER,
            'DB_USERNAME' => self::USER,
            'DB_PASSWORD' => '',
        ];
    }

    public function address(): string
    {
        return $this->path();
    }

    /** @param string $query one that has one row of one number */
    public function number(string $query): int
    {
        $statement = $this->connection?->query($query);
        $value = $statement ? $statement->fetchColumn() : null;

        return is_numeric($value) ? (int) $value : throw new Failure("no number comes from: $query");
    }

    /**
     * @param string $query one that has rows of two numbers
     *
     * @return array<int, int> the second by the first
     */
    public function numbers(string $query): array
    {
        $statement = $this->connection?->query($query);
        /** @var array<int, int> $numbers */
        $numbers = $statement ? $statement->fetchAll(PDO::FETCH_KEY_PAIR) : [];

        return $numbers;
    }

    protected function name(): string
    {
        return 'PostgreSQL';
    }

    protected function launch(RuntimeFolder $folder): Process
    {
        $programs = glob('/usr/lib/postgresql/*/bin') ?: [];
        natsort($programs);
        $programs = end($programs);
        if ($programs === false || !extension_loaded('pdo_pgsql')) {
            throw new Missing('PostgreSQL or the extension pdo_pgsql is not installed (packaging/deps bench)');
        }
        // It refuses to run as root.
        $as = posix_geteuid() === 0
            ? [(string) Program::find('setpriv'), '--reuid=' . self::USER, '--regid=' . self::USER, '--clear-groups']
            : [];
        if ($as !== []) {
            chown($folder->path, self::USER);
        }
        $data = "$folder->path/data";
        $made = Program::run([
            ...$as,
            "$programs/initdb",
            ...['--pgdata', $data, '--username=' . self::USER, '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'],
        ], $folder->path);
        if ($made->status !== 0) {
            throw new Failure("initdb ended with exit status $made->status: $made->errors");
        }
        // The new user's process would forget who is to end it with us.
        $as = $as === [] ? [] : [...$as, '--pdeathsig', 'TERM'];
        $options = array_merge(...array_map(static fn (string $one) => ['-c', $one], [
            'listen_addresses=',
            "unix_socket_directories=$folder->path",
            'max_connections=' . self::CONNECTIONS,
            'shared_buffers=128MB',
            // Who is compared is PHP: no disk.
            'fsync=off',
            'synchronous_commit=off',
            'full_page_writes=off',
            'autovacuum=off',
            ...$this->settings,
        ]));

        return Process::start('postgres', [...$as, "$programs/postgres", '-D', $data, ...$options], $folder);
    }

    protected function connect(RuntimeFolder $folder): ?string
    {
        try {
            $this->connection = new PDO("pgsql:host=$folder->path;user=" . self::USER);
        } catch (PDOException $not) {
            return $not->getMessage();
        }
        if ($this->data !== '') {
            $this->connection->exec($this->data);
        }

        return null;
    }

    protected function disconnect(): void
    {
        $this->connection = null;
    }
}
