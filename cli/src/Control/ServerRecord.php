<?php

declare(strict_types=1);

namespace Howdah\Cli\Control;

use Howdah\Cli\Program;

/**
 * What a running `howdah serve` says of itself, in a file that only its owner may read: other commands learn from it whom to
 * send signals to, and what came of a reload.
 *
 * Invariants:
 *   1. The file is replaced as a whole: who reads it finds the old text or the new one; or, on a full disk, none for a moment.
 *   2. A reload that began after a signal was sent has a number above the `began` that was read before the signal.
 */
final readonly class ServerRecord
{
    public const FILE = 'server.json';

    /** Bytes that the file has at least: so much can be written on a full disk, too. */
    private const ROOM = 4096;

    /** The most that is read of it. */
    private const MOST = 1 << 20;

    /** Bytes of a failure that fit into that. */
    private const FAILURE_ROOM = 500;

    /**
     * @param int         $pid     of `howdah serve`
     * @param int         $birth   when that process was started, as the kernel counts: its number may come again, this does not
     * @param string      $path    the project as it was named, with symbolic links
     * @param string      $root    the folder to which that led
     * @param string      $mode    "classic" or "worker"
     * @param int         $atOnce  requests, in each worker
     * @param int         $since   seconds since 1970
     * @param int         $patience seconds that a stop may take
     * @param int         $began   reloads
     * @param int         $ended   reloads
     * @param string|null $failure why nothing was reloaded the last time; null: it was
     */
    public function __construct(
        public int $pid,
        public int $birth,
        public string $path,
        public string $root,
        public string $address,
        public string $mode,
        public int $workers,
        public int $atOnce,
        public int $since,
        public int $patience,
        public int $began = 0,
        public int $ended = 0,
        public ?string $failure = null,
    ) {
    }

    /** Null where the file is not there, not ours to read, or of another Howdah. */
    public static function read(string $file): ?self
    {
        $fields = json_decode(self::text($file), true);
        if (!is_array($fields)) {
            return null;
        }
        $number = static fn (string $name): int => is_int($fields[$name] ?? null) ? $fields[$name] : 0;
        $string = static fn (string $name): string => is_string($fields[$name] ?? null) ? $fields[$name] : '';
        if ($number('pid') < 1) {
            return null;
        }

        return new self(
            $number('pid'),
            $number('birth'),
            $string('path'),
            $string('root'),
            $string('address'),
            $string('mode'),
            $number('workers'),
            $number('at_once'),
            $number('since'),
            $number('patience'),
            $number('began'),
            $number('ended'),
            is_string($fields['failure'] ?? null) ? $fields['failure'] : null,
        );
    }

    /** Empty where it cannot be read. */
    private static function text(string $file): string
    {
        // It may be another user's: a pipe that nobody writes to, or a file without end.
        if (!is_file($file)) {
            return '';
        }
        $text = @file_get_contents($file, length: self::MOST);
        // PHP follows links by their text; that of a process with a /tmp of its own (PrivateTmp=) leads elsewhere here.
        if ($text === false && is_readable($file)) {
            $text = Program::run(['head', '-c', (string) self::MOST, $file])->output;
        }

        return (string) $text;
    }

    public function toText(): string
    {
        $text = json_encode([
            'pid' => $this->pid,
            'birth' => $this->birth,
            'path' => $this->path,
            'root' => $this->root,
            'address' => $this->address,
            'mode' => $this->mode,
            'workers' => $this->workers,
            'at_once' => $this->atOnce,
            'since' => $this->since,
            'patience' => $this->patience,
            'began' => $this->began,
            'ended' => $this->ended,
            'failure' => $this->failure,
        ], JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR);

        return str_pad($text, self::ROOM);
    }

    /** With as much of the failure as there is room for in any case. */
    public function shortened(): self
    {
        $failure = $this->failure === null ? null : substr($this->failure, 0, self::FAILURE_ROOM);

        return $this->with($this->began, $this->ended, $failure, $this->root, $this->mode);
    }

    /** Without a reload that anybody has asked for. */
    public function serving(string $root, string $mode): self
    {
        return $this->with($this->began, $this->ended, $this->failure, $root, $mode);
    }

    /** A reload begins. */
    public function begun(): self
    {
        return $this->with($this->began + 1, $this->ended, $this->failure, $this->root, $this->mode);
    }

    /** It has failed, and changed nothing. */
    public function failed(string $failure): self
    {
        return $this->with($this->began, $this->began, $failure, $this->root, $this->mode);
    }

    /** It has succeeded, and this is served now. */
    public function reloaded(string $root, string $mode): self
    {
        return $this->with($this->began, $this->began, null, $root, $mode);
    }

    private function with(int $began, int $ended, ?string $failure, string $root, string $mode): self
    {
        return new self(
            $this->pid,
            $this->birth,
            $this->path,
            $root,
            $this->address,
            $mode,
            $this->workers,
            $this->atOnce,
            $this->since,
            $this->patience,
            $began,
            $ended,
            $failure,
        );
    }

    public function isAlive(): bool
    {
        return ProcessStat::birthOf($this->pid) === $this->birth;
    }
}
