<?php

declare(strict_types=1);

namespace Howdah\Cli\Control;

/** What the kernel tells of a process (proc(5), /proc/pid/stat). */
final readonly class ProcessStat
{
    /** When it was started, in ticks since the machine's start; 0: there is no such process. */
    public static function birthOf(int $pid): int
    {
        $fields = self::fields($pid);
        $isDead = in_array($fields[0], ['Z', 'X'], true);

        return $isDead ? 0 : (int) ($fields[19] ?? 0);
    }

    /** @return list<int> all processes of programs with this name (/proc/pid/comm), whoever they belong to */
    public static function named(string $program): array
    {
        $isNamed = static fn (string $process): bool => @file_get_contents("$process/comm") === "$program\n";

        return array_map(
            static fn (string $process): int => (int) basename($process),
            array_values(array_filter(glob('/proc/[0-9]*', GLOB_NOSORT) ?: [], $isNamed)),
        );
    }

    /** 0: there is no such process. */
    public static function parentOf(int $pid): int
    {
        return (int) (self::fields($pid)[1] ?? 0);
    }

    /** R, S, D, T, Z...; empty: there is no such process. */
    public static function stateOf(int $pid): string
    {
        return self::fields($pid)[0];
    }

    /** As whom it acts; null: there is no such process. */
    public static function userOf(int $pid): ?int
    {
        $status = (string) @file_get_contents("/proc/$pid/status");

        return preg_match('/^Uid:\s+\d+\s+(\d+)/m', $status, $match) === 1 ? (int) $match[1] : null;
    }

    /**
     * From field 3 on, the state. What comes before may contain spaces: the program's name.
     *
     * @return non-empty-list<string>
     */
    private static function fields(int $pid): array
    {
        return explode(' ', substr((string) strrchr((string) @file_get_contents("/proc/$pid/stat"), ')'), 2));
    }
}
