<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

/** What the kernel tells of a process and the processors that it shares with others. */
final class Processor
{
    /**
     * Seconds so far in which its first thread was ready to run and had no processor (Linux's
     * Documentation/scheduler/sched-stats.rst, /proc/PID/schedstat): an idle machine adds nothing.
     */
    public static function delay(int $pid): float
    {
        return (int) (explode(' ', (string) @file_get_contents("/proc/$pid/schedstat"))[1] ?? 0) / 1e9;
    }
}
