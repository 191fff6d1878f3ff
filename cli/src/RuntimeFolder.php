<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Howdah\Cli\Control\FolderOwner;

/**
 * A folder of our own in the temporary one: configuration, pid file, sockets, bodies on their way. Gone when we are.
 *
 * Invariant: nobody else can write in it, nor put another one in its place; folders in it may be others' (Removal).
 */
final readonly class RuntimeFolder
{
    /** Of names in the temporary folder; what follows are twelve hexadecimal digits. */
    public const PREFIX = 'howdah-';

    /** Bytes. More than programs say. */
    private const ROOM = 65536;

    /** EFBIG of Linux (asm-generic/errno-base.h), for which PHP has no name. */
    private const TOO_LARGE = 27;

    public string $path;

    /** @var resource|null says that we live */
    private mixed $lock;

    /** @param string|null $user that workers run as, where it is another one than ours */
    public function __construct(?string $user = null)
    {
        $temporary = sys_get_temp_dir();
        if ($user !== null) {
            $place = new Place($temporary);
            $place->assertRoots("the temporary folder $temporary, --user=$user", true, 'set TMPDIR to /tmp or /run');
            $temporary = $place->path;
        }
        $path = "$temporary/" . self::PREFIX . bin2hex(random_bytes(6));
        // Others may pass through, not look: workers may run as another user (--user).
        if (!@mkdir($path, 0711)) {
            throw new Failure('cannot make a folder in ' . sys_get_temp_dir()
                . ': free some space there or make it writable, or set TMPDIR to another');
        }
        $this->path = $path;
        $owner = getmypid();
        $ends = function () use ($owner): void {
            if (getmypid() === $owner) {
                $this->remove();
            }
        };
        register_shutdown_function($ends);
        EndSignals::before($path, $ends);
        self::assertRoom();
        $this->lock = FolderOwner::lock($path);
        $this->write(FolderOwner::FILE, FolderOwner::me()->toText());
    }

    /** On a full disk a file can be made, and stays empty: a program then seems to have said nothing. */
    public static function assertRoom(): void
    {
        // Who may write no larger files (ulimit -f) is ended by this signal otherwise, without a word.
        $before = pcntl_signal_get_handler(SIGXFSZ);
        pcntl_signal(SIGXFSZ, SIG_IGN);
        error_clear_last();
        $file = NamelessFile::open();
        $room = $file !== null && @fwrite($file, str_repeat("\0", self::ROOM)) === self::ROOM && fflush($file);
        pcntl_signal(SIGXFSZ, is_callable($before) ? $before : (int) $before);
        $isLimited = !$room && str_contains(error_get_last()['message'] ?? '', 'errno=' . self::TOO_LARGE);
        if ($isLimited) {
            throw new Failure('no file may have ' . self::ROOM . ' bytes here: raise the limit (`ulimit -f unlimited`, or'
                . ' LimitFSIZE=infinity in a unit of systemd)');
        }
        if (!$room) {
            throw new Failure('cannot write to the temporary folder ' . sys_get_temp_dir()
                . ': free some space there, or set TMPDIR to another');
        }
    }

    /** As a whole, and for nobody but its owner to read. */
    public function write(string $name, string $text): void
    {
        WholeFile::write("{$this->path}/$name", $text, 'free some space there, or set TMPDIR to another folder');
    }

    /**
     * For a full disk: in the blocks that the file has, in one call. Who reads it meanwhile may find a part of each text.
     *
     * @return bool false: it is not there, or too small, or cannot be written
     */
    public function overwrite(string $name, string $text): bool
    {
        clearstatcache(true, "{$this->path}/$name");
        $size = (int) @filesize("{$this->path}/$name");
        $file = $size < strlen($text) ? false : @fopen("{$this->path}/$name", 'r+');

        return $file !== false && @fwrite($file, str_pad($text, $size)) === $size && fclose($file);
    }

    public function has(string $name): bool
    {
        clearstatcache();

        return file_exists("{$this->path}/$name");
    }

    public function remove(): void
    {
        Removal::of($this->path);
        EndSignals::forget($this->path);
        // It may be removed before it is whole.
        if (is_resource($this->lock ?? null)) {
            fclose($this->lock);
        }
    }
}
