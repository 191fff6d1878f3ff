<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Closure;

/** What is kept for this user from one command to the next, for nobody else to read. */
final readonly class DataFolder
{
    public function __construct(public string $path)
    {
    }

    /** As the XDG Base Directory Specification says where: below $XDG_DATA_HOME, or ~/.local/share. */
    public static function ofThisUser(): self
    {
        $data = (string) getenv('XDG_DATA_HOME');

        return new self((str_starts_with($data, '/') ? rtrim($data, '/') : self::home() . '/.local/share') . '/howdah');
    }

    /** With `sudo` the variable may name another user's. */
    private static function home(): string
    {
        $user = posix_geteuid();
        $home = (string) getenv('HOME');
        $isOwn = str_starts_with($home, '/') && @fileowner($home) === $user;
        $home = $isOwn ? $home : (posix_getpwuid($user)['dir'] ?? '');
        if (!str_starts_with($home, '/')) {
            throw new Failure("the user with the number $user has no home folder for what is kept: set XDG_DATA_HOME to"
                . ' one');
        }

        return rtrim($home, '/');
    }

    /**
     * Whatever is done with its files, one process at a time does.
     *
     * @template T
     * @param  Closure(): T $work
     * @return T
     */
    public function alone(Closure $work): mixed
    {
        $this->make();
        $before = umask(0077);
        $lock = @fopen("{$this->path}/lock", 'c');
        umask($before);
        if ($lock === false || !flock($lock, LOCK_EX)) {
            throw new Failure("cannot write {$this->path}/lock: {$this->remedy()}");
        }
        try {
            return $work();
        } finally {
            fclose($lock);
        }
    }

    /** The file's text; empty where it is not there. */
    public function read(string $name): string
    {
        $path = "{$this->path}/$name";
        if (!file_exists($path)) {
            return '';
        }
        $text = @file_get_contents($path);

        return $text === false ? throw new Failure("cannot read $path: {$this->remedy()}") : $text;
    }

    /** @param bool $isSecret only its owner may read it, wherever it is moved */
    public function write(string $name, string $text, bool $isSecret): void
    {
        WholeFile::write("{$this->path}/$name", $text, $this->remedy(), $isSecret ? 0600 : 0644);
    }

    private function make(): void
    {
        $this->assertRoots();
        // Another command may make it in this moment.
        if (!is_dir($this->path) && !@mkdir($this->path, 0700, true) && !is_dir($this->path)) {
            throw new Failure("cannot make the folder {$this->path}: {$this->remedy()}");
        }
        clearstatcache(true, $this->path);
        if (fileowner($this->path) !== posix_geteuid()) {
            throw new Failure("the folder {$this->path} belongs to another user: {$this->remedy()}");
        }
        $this->assertRoots();
        if ((fileperms($this->path) & 0777) !== 0700 && !@chmod($this->path, 0700)) {
            throw new Failure("others may read the folder {$this->path}: chmod 700 {$this->path}");
        }
    }

    /** Root's variables may be another user's (`sudo -E`), and so the folder: that user's links are not to lead root. */
    private function assertRoots(): void
    {
        if (posix_geteuid() === 0) {
            $way = 'set XDG_DATA_HOME to one of root\'s';
            (new Place($this->path))->assertRoots("the folder {$this->path}", true, $way, true);
        }
    }

    private function remedy(): string
    {
        return 'make it writable for this user, free some space there, or set XDG_DATA_HOME to another folder';
    }
}
