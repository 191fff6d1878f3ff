<?php

declare(strict_types=1);

namespace Howdah\SessionTests\App;

use RuntimeException;
use SessionHandlerInterface;
use SessionIdInterface;
use SessionUpdateTimestampHandlerInterface;

/** Sessions in files of an application's own format, with a lock; it waits wherever it is asked. */
final class Store implements SessionHandlerInterface, SessionIdInterface, SessionUpdateTimestampHandlerInterface
{
    private string $folder = '';

    /** @var resource|null the file that is locked */
    private $file = null;

    public function open(string $path, string $name): bool
    {
        usleep(100);
        $this->folder = $path;

        return true;
    }

    public function read(string $id): string|false
    {
        $this->lock($id);
        usleep(100);
        rewind($this->locked());
        $text = (string) stream_get_contents($this->locked());

        return $text === '' ? '' : (string) base64_decode(substr($text, strlen("own:")), true);
    }

    public function write(string $id, string $data): bool
    {
        $this->lock($id);
        $file = $this->locked();
        usleep(100);

        return ftruncate($file, 0) && rewind($file) && fwrite($file, 'own:' . base64_encode($data)) !== false && fflush($file);
    }

    public function close(): bool
    {
        $this->file = null;
        usleep(100);

        return true;
    }

    public function destroy(string $id): bool
    {
        $this->file = null;
        usleep(100);

        return !is_file($this->path($id)) || unlink($this->path($id));
    }

    public function gc(int $max_lifetime): int|false
    {
        $count = 0;
        foreach (glob("$this->folder/own_*") ?: [] as $file) {
            usleep(100);
            if (@filemtime($file) + $max_lifetime < time() && @unlink($file)) {
                $count++;
            }
        }

        return $count;
    }

    public function create_sid(): string
    {
        return 'own' . bin2hex(random_bytes(12));
    }

    public function validateId(string $id): bool
    {
        clearstatcache();

        return is_file($this->path($id));
    }

    public function updateTimestamp(string $id, string $data): bool
    {
        return touch($this->path($id));
    }

    private function path(string $id): string
    {
        return "$this->folder/own_" . basename($id);
    }

    /** Once for each session; another's is let go. */
    private function lock(string $id): void
    {
        if ($this->file !== null && stream_get_meta_data($this->file)['uri'] === $this->path($id)) {
            return;
        }
        $file = fopen($this->path($id), 'c+');
        if ($file === false || !flock($file, LOCK_EX)) {
            throw new RuntimeException("no lock for $id");
        }
        $this->file = $file;
    }

    /** @return resource */
    private function locked()
    {
        return $this->file ?? throw new RuntimeException('not locked');
    }
}
