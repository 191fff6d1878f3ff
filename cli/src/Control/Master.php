<?php

declare(strict_types=1);

namespace Howdah\Cli\Control;

use Howdah\Cli\NginxConfig;
use Howdah\Cli\RuntimeFolder;

/** nginx's master process, asked from outside: what it does with a signal, and what it and its workers say. */
final readonly class Master
{
    /** What nginx says where nobody's request is concerned, beside standard error: NginxConfig names it. */
    public const ERRORS = 'errors';

    /** The error log as the live page shows it, beside standard error: NginxConfig names it, where there is that page. */
    public const LOG = 'log';

    /** All that nginx writes in its folder for us. */
    public const FILES = [self::ERRORS, self::LOG];

    /** As nginx begins a line. What PHP says may have more of them. */
    private const LINE = '~^\d{4}/\d\d/\d\d [\d:]+ \[\w+\] (?<pid>\d+)#\d+: (?:\*\d+ )?(?<message>.*)~';

    /** Bytes that are kept of each of these files. */
    private const BYTES_KEPT = 1_000_000;

    public function __construct(private RuntimeFolder $folder, private int $pid)
    {
    }

    public function signal(int $signal): void
    {
        posix_kill($this->pid, $signal);
    }

    /**
     * Whether it has done what the signal asks for. It sleeps with no signal blocked, and works with all of its own blocked
     * (ngx_master_process_cycle(), os/unix/ngx_process_cycle.c, 1.22 and 1.26). Between taking a signal and blocking it is a
     * moment in which this is true too soon: whoever asks has to see something of the outcome as well.
     */
    public function hasDone(int $signal): bool
    {
        $status = (string) @file_get_contents("/proc/{$this->pid}/status");
        $bit = 1 << ($signal - 1);
        foreach (['SigPnd', 'ShdPnd', 'SigBlk'] as $name) {
            $isFound = preg_match("/^$name:\s*([0-9a-f]{16})$/m", $status, $match) === 1;
            // The upper half are real-time signals, which nobody sends here.
            if (!$isFound || (hexdec(substr($match[1], 8)) & $bit) !== 0) {
                return false;
            }
        }

        return true;
    }

    /** @return list<int>|null the processes that it has started: workers, and those that try a worker script; null: unknown */
    public function children(): ?array
    {
        $text = @file_get_contents("/proc/{$this->pid}/task/{$this->pid}/children");
        if ($text === false) {
            return null;
        }

        return trim($text) === '' ? [] : array_map(intval(...), explode(' ', trim($text)));
    }

    /**
     * Those that may still take connections: a worker that leaves says so in its title (ngx_worker_process_cycle()).
     *
     * @param  list<int> $workers
     * @return list<int>
     */
    public static function staying(array $workers): array
    {
        return array_values(array_filter($workers, static function (int $pid): bool {
            $title = (string) @file_get_contents("/proc/$pid/cmdline");

            return $title !== '' && !str_contains($title, 'is shutting down');
        }));
    }

    /** @return array{string, int}|null as ControlSocket::ask() */
    public function ask(): ?array
    {
        return $this->socket()->ask();
    }

    /** Forgets what was said so far. nginx appends, wherever the file ends. */
    public function forgetErrors(): void
    {
        @file_put_contents($this->errorsFile(), '');
    }

    /** So that an application that complains for weeks does not fill the temporary folder. */
    public function boundErrors(): void
    {
        foreach (self::FILES as $name) {
            $file = "{$this->folder->path}/$name";
            clearstatcache(true, $file);
            if (@filesize($file) > self::BYTES_KEPT) {
                @file_put_contents($file, '');
            }
        }
    }

    /**
     * What was said since it was forgotten, without nginx's prefixes.
     *
     * @param  list<int>    $but processes whose messages do not count
     * @return list<string>
     */
    public function errors(array $but): array
    {
        $messages = [];
        $counts = false;
        foreach (explode("\n", (string) @file_get_contents($this->errorsFile())) as $line) {
            if (preg_match(self::LINE, $line, $match) === 1) {
                $counts = !in_array((int) $match['pid'], $but, true);
                $line = $match['message'];
            }
            if ($counts && trim($line) !== '') {
                $messages[] = $line;
            }
        }

        return $messages;
    }

    private function errorsFile(): string
    {
        return "{$this->folder->path}/" . self::ERRORS;
    }

    /** Code was saved: when this returns true, all requests that come meet it. Or, where it is none, pages show it anew. */
    public function renew(bool $isCode): bool
    {
        $address = NginxConfig::RENEWAL . ($isCode ? '' : '?pages');

        return str_contains($this->socket()->request("POST $address HTTP/1.0\r\n\r\n"), ' 200 ');
    }

    private function socket(): ControlSocket
    {
        return new ControlSocket($this->folder->path);
    }
}
