<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use RuntimeException;

/** Keeps a worker in one call of C (door.php: stickAtCork()) until the test pulls it: that call opens a FIFO, which waits for its other end. */
final class Cork
{
    private readonly Door $door;

    /** @var resource|null */
    private $end = null;

    public readonly string $path;

    public function __construct()
    {
        $this->door = new Door();
        $this->path = $this->door->path;
        if (!posix_mkfifo("{$this->path}.fifo", 0600)) {
            throw new RuntimeException("no FIFO: {$this->path}.fifo");
        }
        chmod("{$this->path}.fifo", 0666);
    }

    /** The worker is in that call, or an instant before it, and does nothing else. */
    public function await(): self
    {
        $this->door->await();

        return $this;
    }

    public function pull(): void
    {
        // For both: so it does not wait for the worker, and the worker no more for it.
        $end = fopen("{$this->path}.fifo", 'r+');
        if ($end === false) {
            throw new RuntimeException("no FIFO: {$this->path}.fifo");
        }
        $this->end = $end;
    }

    public function __destruct()
    {
        // A worker that is in it still must not stay there for ever.
        $this->end === null && $this->pull();
        unlink("{$this->path}.fifo");
    }
}
