<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Peers;

use RuntimeException;
use SQLite3;
use SysvMessageQueue;
use SysvSemaphore;

/** Something that only one can have: a lock of a file or a database, a semaphore; or a message that is not there yet. */
final class Lock
{
    private mixed $held = null;

    public function __construct(private readonly string $kind, private readonly string $name)
    {
        $this->held = match ($kind) {
            'flock' => self::flock($name, LOCK_EX),
            'flock-shared' => self::flock($name, LOCK_SH),
            'fcntl' => self::fcntl($name),
            'sqlite' => self::sqlite($name),
            'semaphore' => self::semaphore((int) $name),
            'message' => msg_get_queue((int) $name),
            default => throw new RuntimeException("no such lock: $kind"),
        };
    }

    public function release(): void
    {
        if ($this->held instanceof SysvSemaphore) {
            sem_release($this->held);
        } elseif ($this->held instanceof SysvMessageQueue) {
            msg_send($this->held, 7, 'late');
        } elseif ($this->held instanceof SQLite3) {
            $this->held->exec($this->kind === 'fcntl' ? 'ROLLBACK' : 'COMMIT');
            $this->held->close();
        } elseif (is_resource($this->held)) {
            fclose($this->held);
        }
    }

    /** What outlives processes. */
    public function remove(): void
    {
        if ($this->held instanceof SysvSemaphore) {
            sem_remove($this->held);
        } elseif ($this->held instanceof SysvMessageQueue) {
            msg_remove_queue($this->held);
        }
    }

    /**
     * @param  int<0, 7> $operation
     * @return resource
     */
    private static function flock(string $file, int $operation)
    {
        $stream = fopen($file, 'c+');
        if ($stream === false || !flock($stream, $operation)) {
            throw new RuntimeException("$file cannot be locked");
        }

        return $stream;
    }

    /** SQLite locks with fcntl(2), and leaves a file empty in which it writes nothing. */
    private static function fcntl(string $file): SQLite3
    {
        $database = new SQLite3($file);
        $database->exec('BEGIN EXCLUSIVE');

        return $database;
    }

    private static function sqlite(string $file): SQLite3
    {
        $database = new SQLite3($file);
        $database->exec('CREATE TABLE IF NOT EXISTS held (by TEXT)');
        $database->exec('BEGIN IMMEDIATE');
        $database->exec("INSERT INTO held VALUES ('holder')");

        return $database;
    }

    private static function semaphore(int $key): SysvSemaphore
    {
        $semaphore = sem_get($key);
        if ($semaphore === false || !sem_acquire($semaphore)) {
            throw new RuntimeException("semaphore $key cannot be had");
        }

        return $semaphore;
    }
}
