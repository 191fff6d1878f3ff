<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

/** What an idle worker holds, as the kernel tells. */
final readonly class Holdings
{
    private const FOREVER = -1;

    /**
     * @param list<string> $descriptors what each of them refers to, sorted
     * @param int          $timeout     milliseconds until its next timer, as it waits for events no longer
     * @param int          $memory      bytes
     */
    private function __construct(public array $descriptors, public int $timeout, public int $threads, public int $memory)
    {
    }

    /** What it holds when the last timer has gone, or after $seconds. */
    public static function of(int $pid, float $seconds = 5): self
    {
        $deadline = microtime(true) + $seconds;
        do {
            usleep(100_000);
        } while (self::timeout($pid) !== self::FOREVER && microtime(true) < $deadline);

        $threads = count(glob("/proc/$pid/task/*") ?: []);

        return new self(self::descriptors($pid), self::timeout($pid), $threads, self::memory($pid));
    }

    public function isWithoutTimer(): bool
    {
        return $this->timeout === self::FOREVER;
    }

    /** @return list<string> */
    private static function descriptors(int $pid): array
    {
        $names = array_map(static fn (string $link): string => (string) @readlink($link), glob("/proc/$pid/fd/*") ?: []);
        // Inode numbers differ.
        $names = preg_replace('/:\[\d+\]$/', '', $names);
        sort($names);

        return $names;
    }

    /** From the arguments of epoll_wait() that it is in. */
    private static function timeout(int $pid): int
    {
        $words = explode(' ', (string) file_get_contents("/proc/$pid/syscall"));
        if (count($words) < 6) {
            // It runs.
            return 0;
        }

        $timeout = (int) hexdec(substr($words[4], -8));

        return $timeout < 1 << 31 ? $timeout : $timeout - (1 << 32);
    }

    private static function memory(int $pid): int
    {
        $text = (string) file_get_contents("/proc/$pid/smaps_rollup");
        preg_match('/^Pss:\s+(\d+) kB$/m', $text, $match);

        return (int) ($match[1] ?? 0) * 1024;
    }
}
