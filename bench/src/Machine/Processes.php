<?php

declare(strict_types=1);

namespace Howdah\Bench\Machine;

/** What /proc tells of processes: who belongs to a server, how much processor and memory they use. */
final readonly class Processes
{
    /** Of clock ticks in /proc; USER_HZ is 100 on every Linux that we run on. */
    private const TICKS_PER_SECOND = 100;

    /** @return list<int> the process and all that descend from it */
    public static function tree(int $root): array
    {
        $all = [$root];
        $children = trim((string) @file_get_contents("/proc/$root/task/$root/children"));
        foreach ($children === '' ? [] : explode(' ', $children) as $child) {
            $all = [...$all, ...self::tree((int) $child)];
        }

        return $all;
    }

    /**
     * Processor time that they have used so far.
     *
     * @param list<int> $processes
     */
    public static function cpuSeconds(array $processes): float
    {
        $ticks = 0;
        foreach ($processes as $process) {
            $text = (string) @file_get_contents("/proc/$process/stat");
            // The second field is the program's name, in parentheses, and may hold anything; see proc(5).
            $fields = explode(' ', substr($text, (int) strrpos($text, ')') + 2));
            $ticks += (int) ($fields[11] ?? 0) + (int) ($fields[12] ?? 0);
        }

        return $ticks / self::TICKS_PER_SECOND;
    }

    /**
     * Proportional set size: a page that n processes share counts 1/n for each.
     *
     * @param list<int> $processes
     */
    public static function pssBytes(array $processes): int
    {
        $kilobytes = 0;
        foreach ($processes as $process) {
            $text = (string) @file_get_contents("/proc/$process/smaps_rollup");
            if (preg_match('/^Pss:\s+(\d+) kB$/m', $text, $match) === 1) {
                $kilobytes += (int) $match[1];
            }
        }

        return $kilobytes * 1024;
    }

    /**
     * What is resident of each, shared pages in full.
     *
     * @param list<int> $processes
     */
    public static function residentBytes(array $processes): int
    {
        $kilobytes = 0;
        foreach ($processes as $process) {
            if (preg_match('/^VmRSS:\s+(\d+) kB$/m', (string) @file_get_contents("/proc/$process/status"), $match) === 1) {
                $kilobytes += (int) $match[1];
            }
        }

        return $kilobytes * 1024;
    }

    /** Mappings of a process, of which the kernel allows vm.max_map_count (65,530 where nobody changed it). */
    public static function maps(int $process): int
    {
        return substr_count((string) @file_get_contents("/proc/$process/maps"), "\n");
    }

    /** Processor time that the whole machine has used so far, and what the hypervisor kept from it. */
    public static function machineSeconds(): float
    {
        $line = strtok((string) @file_get_contents('/proc/stat'), "\n");
        // "cpu", user, nice, system, idle, iowait, irq, softirq, steal: see proc(5).
        $ticks = array_map(intval(...), preg_split('/\s+/', (string) $line) ?: []);
        $busy = 0;
        foreach ([1, 2, 3, 6, 7, 8] as $field) {
            $busy += $ticks[$field] ?? 0;
        }

        return $busy / self::TICKS_PER_SECOND;
    }
}
