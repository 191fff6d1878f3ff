<?php

declare(strict_types=1);

namespace Howdah\Cli\Control;

/**
 * Children that this process has not made: as process 1 of a container it gets whatever loses its parent, as the jobs that
 * requests leave in the background, and each that ends stays a zombie until somebody asks for its status.
 */
final readonly class Orphans
{
    /**
     * Asks for the status of those that have ended. Of our own somebody else does.
     *
     * @param list<int> $own
     */
    public static function reap(array $own): void
    {
        $pid = getmypid();
        // A kernel that does not tell (CONFIG_PROC_CHILDREN) is no kernel of Debian's.
        $children = (string) @file_get_contents("/proc/$pid/task/$pid/children");
        foreach (preg_split('/\s+/', $children, -1, PREG_SPLIT_NO_EMPTY) ?: [] as $child) {
            if (!in_array((int) $child, $own, true)) {
                pcntl_waitpid((int) $child, $status, WNOHANG);
            }
        }
    }
}
