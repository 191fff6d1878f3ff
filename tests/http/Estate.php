<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Assert;
use RuntimeException;

/** What a victim held (app/dying/Held.php), seen from outside: whether the lock, the connections, files and the child are free again. */
final class Estate
{
    public readonly string $folder;

    /** @var resource */
    private $listener;

    /** @var resource */
    private $persistent;

    public function __construct()
    {
        $this->folder = sys_get_temp_dir() . '/howdah-estate-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        chmod($this->folder, 0777);
        $this->listener = $this->listen('peer');
        $this->persistent = $this->listen('persistent');
    }

    public function __destruct()
    {
        array_map(unlink(...), glob("{$this->folder}/*") ?: []);
        rmdir($this->folder);
    }

    public function has(string $name): bool
    {
        return file_exists("{$this->folder}/$name");
    }

    public function put(string $name): bool
    {
        return touch("{$this->folder}/$name");
    }

    /** The file that is there as soon as the victim dies. */
    public function death(): string
    {
        return "{$this->folder}/victim";
    }

    /** @return array<string, mixed> what the victim said before it died */
    public function victim(): array
    {
        Assert::assertFileExists($this->death(), 'the victim did not come that far');
        /** @var array<string, mixed> $said */
        $said = json_decode((string) file_get_contents($this->death()), true, flags: JSON_THROW_ON_ERROR);

        return $said;
    }

    /** Waits for it. Where the whole process died, nobody removes its files, as under php-fpm. */
    public function assertReleased(bool $files = true): void
    {
        $victim = $this->victim();
        $left = fn (): array => array_keys(array_filter([
            'a lock' => !$this->isLockFree(),
            'a transaction' => !$this->isDatabaseFree(),
            'a temporary file' => $files && is_string($victim['temporary']) && file_exists($victim['temporary']),
            'an uploaded file' => $files && is_string($victim['upload']) && file_exists($victim['upload']),
            'a child' => is_int($victim['child']) && file_exists("/proc/{$victim['child']}"),
        ]));
        Clock::await(static fn (): bool => $left() === [], static fn (): string => 'the dead holds ' . implode(', ', $left()));
        Assert::assertIsString($victim['upload'], 'nothing was uploaded');
        Assert::assertSame('hello', $this->readToTheEnd($this->listener));
    }

    /** In classic mode it is the next request's, as under php-fpm; where the realm is dead, it is closed. */
    public function assertPersistentConnectionIs(bool $open): void
    {
        $connection = stream_socket_accept($this->persistent, Clock::PATIENCE);
        Assert::assertIsResource($connection);
        // From an open one nothing comes.
        stream_set_timeout($connection, $open ? 0 : (int) Clock::PATIENCE, $open ? 100_000 : 0);
        fread($connection, 1);
        Assert::assertSame($open, !feof($connection), 'the persistent connection');
    }

    /** @return resource */
    private function listen(string $name)
    {
        $listener = stream_socket_server("unix://{$this->folder}/$name");
        if ($listener === false) {
            throw new RuntimeException("cannot listen on $name");
        }
        chmod("{$this->folder}/$name", 0777);

        return $listener;
    }

    private function isLockFree(): bool
    {
        $file = fopen("{$this->folder}/lock", 'c');

        return $file !== false && flock($file, LOCK_EX | LOCK_NB);
    }

    private function isDatabaseFree(): bool
    {
        try {
            $database = new \PDO("sqlite:{$this->folder}/database", options: [\PDO::ATTR_TIMEOUT => 0]);
            $database->exec('begin immediate');
            $rows = $database->query('select count(*) from t');

            return $rows !== false && $rows->fetchColumn() === 0;
        } catch (\PDOException) {
            return false;
        }
    }

    /** @param resource $listener */
    private function readToTheEnd($listener): string
    {
        $connection = stream_socket_accept($listener, Clock::PATIENCE);
        Assert::assertIsResource($connection, 'the victim did not connect');
        stream_set_timeout($connection, (int) Clock::PATIENCE);
        $text = (string) stream_get_contents($connection);
        Assert::assertTrue(feof($connection), 'the connection of the dead is open');

        return $text;
    }
}
