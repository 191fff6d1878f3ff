<?php

declare(strict_types=1);

namespace Howdah\Bench\Data;

use Howdah\Bench\Machine\Missing;
use Howdah\Bench\Machine\Process;
use Howdah\Cli\Failure;
use Howdah\Cli\Program;
use Howdah\Cli\RuntimeFolder;
use Redis as Client;
use RedisException;

/** A Redis: sessions in database 0, the cache in database 1. */
final class Redis extends Store
{
    private const SOCKET = 'redis.sock';

    private ?Client $client = null;

    public function environment(): array
    {
        return [
            'REDIS_HOST' => $this->address(),
            'REDIS_PORT' => '0',
            'REDIS_PREFIX' => '',
            'CACHE_STORE' => 'redis',
            'CACHE_PREFIX' => '',
            'SESSION_DRIVER' => 'redis',
        ];
    }

    public function address(): string
    {
        return "{$this->path()}/" . self::SOCKET;
    }

    public function sessions(): int
    {
        $this->client?->select(0);
        $keys = $this->client?->dbSize();

        return is_int($keys) ? $keys : throw new Failure('Redis does not tell how many sessions there are');
    }

    /** A number in the cache; 0 when it is not there. */
    public function cached(string $key): int
    {
        $this->client?->select(1);
        $value = $this->client?->get($key);

        return is_numeric($value) ? (int) $value : 0;
    }

    protected function name(): string
    {
        return 'Redis';
    }

    protected function launch(RuntimeFolder $folder): Process
    {
        $server = Program::find('redis-server');
        if ($server === null || !extension_loaded('redis')) {
            throw new Missing('redis-server or the extension redis is not installed (packaging/deps bench)');
        }

        return Process::start('redis', [
            $server,
            ...['--port', '0', '--unixsocket', "$folder->path/" . self::SOCKET],
            ...['--save', '', '--appendonly', 'no', '--logfile', '/dev/stderr'],
            // How often it looks whose time is over: with its 10 times a second a BLPOP of 10 ms takes 100.
            ...['--hz', '500'],
        ], $folder);
    }

    protected function connect(RuntimeFolder $folder): ?string
    {
        try {
            $client = new Client();
            if (!@$client->connect("$folder->path/" . self::SOCKET) || !$client->ping()) {
                return 'it does not answer';
            }
        } catch (RedisException $not) {
            return $not->getMessage();
        }
        $this->client = $client;

        return null;
    }

    protected function disconnect(): void
    {
        $this->client = null;
    }
}
