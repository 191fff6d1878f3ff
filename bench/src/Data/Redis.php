<?php

declare(strict_types=1);

namespace Howdah\Bench\Data;

use Howdah\Bench\Machine\Process;
use Howdah\Cli\Failure;
use Howdah\Cli\Program;
use Howdah\Cli\RuntimeFolder;
use Redis as Client;
use RedisException;

/** A Redis of our own, empty each time, on a Unix socket in its folder: sessions in database 0, the cache in database 1. */
final class Redis
{
    private const START_SECONDS = 20;

    private ?RuntimeFolder $folder = null;
    private ?Process $process = null;
    private ?Client $client = null;

    public function start(): void
    {
        $server = Program::find('redis-server');
        if ($server === null || !extension_loaded('redis')) {
            throw new Failure('redis-server or the extension redis is not installed: run `packaging/deps bench`');
        }
        $this->folder = new RuntimeFolder();
        $this->process = Process::start('redis', [
            $server,
            ...['--port', '0', '--unixsocket', $this->socket(), '--save', '', '--appendonly', 'no', '--logfile', '/dev/stderr'],
        ], $this->folder);
        $deadline = hrtime(true) + self::START_SECONDS * 1_000_000_000;
        while ($this->client === null) {
            try {
                $client = new Client();
                $this->client = @$client->connect($this->socket()) && $client->ping() ? $client : null;
            } catch (RedisException) {
                // It is not there yet.
            }
            if ($this->client === null && (!$this->process->isRunning() || hrtime(true) > $deadline)) {
                throw new Failure("Redis does not start: {$this->process->complaint()}");
            }
            usleep(20_000);
        }
    }

    public function stop(): void
    {
        $this->client = null;
        $this->process?->stop();
        $this->process = null;
        $this->folder?->remove();
        $this->folder = null;
    }

    /** @return array<string, string> what Laravel reads */
    public function environment(): array
    {
        return [
            'REDIS_HOST' => $this->socket(),
            'REDIS_PORT' => '0',
            'REDIS_PREFIX' => '',
            'CACHE_STORE' => 'redis',
            'CACHE_PREFIX' => '',
            'SESSION_DRIVER' => 'redis',
        ];
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

    private function socket(): string
    {
        return ($this->folder->path ?? '') . '/redis.sock';
    }
}
