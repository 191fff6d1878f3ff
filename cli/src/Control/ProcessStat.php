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
