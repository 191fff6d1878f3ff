<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use RuntimeException;

/**
 * Where scripts come and wait, without ever looking (door.php), until the test lets them go: a socket. So a test knows who is
 * in the middle of what, for as long as it likes. Where a door is open, or there has never been one, nobody waits.
 */
final class Door
{
    private const BACKLOG = 2048;

    /** @var resource|null */
    private $listening;

    /** @var list<resource> */
    private array $waiting = [];

    public readonly string $path;

    /** A closed one. */
    public function __construct(?string $path = null)
    {
        $this->path = $path ?? self::newPath();
        $context = stream_context_create(['socket' => ['backlog' => self::BACKLOG]]);
        $flags = STREAM_SERVER_BIND | STREAM_SERVER_LISTEN;
        $listening = stream_socket_server("unix://{$this->path}", $code, $message, $flags, $context);
        if ($listening === false) {
            throw new RuntimeException("no door: $message");
        }
        chmod($this->path, 0777);
        $this->listening = $listening;
    }

    /** For a door that will be there later. */
    public static function newPath(): string
    {
        return sys_get_temp_dir() . '/howdah-door-' . bin2hex(random_bytes(6));
    }

    /** How many wait. */
    public function count(): int
    {
        while ($this->listening !== null && ($one = @stream_socket_accept($this->listening, 0)) !== false) {
            $this->waiting[] = $one;
        }

        return count($this->waiting);
    }

    public function await(int $count = 1): self
    {
        Clock::await(fn (): bool => $this->count() >= $count, fn (): string => "{$this->count()} of $count are at the door");

        return $this;
    }

    /** The process of one who waits. */
    public function process(): int
    {
        return (int) fgets($this->await()->waiting[0]);
    }

    /** Who waits goes on, and nobody waits any more. */
    public function open(): void
    {
        if ($this->listening === null) {
            return;
        }
        unlink($this->path);
        fclose($this->listening);
        array_map(fclose(...), $this->waiting);
        $this->waiting = [];
        $this->listening = null;
    }

    public function __destruct()
    {
        $this->open();
    }
}
