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
     * Asks for the status of all that have ended. /proc may be that of another namespace (`unshare --pid`) and does not help to
     * tell ours from others, so ours are asked for, too: proc_get_status() does not know of them afterwards.
     *
     * @param  list<int>       $own
     * @return array<int, int> those of our own that have ended, and their exit statuses as a shell tells them
     */
    public static function reap(array $own): array
    {
        $ended = [];
        while (($pid = pcntl_wait($status, WNOHANG)) > 0) {
            if (in_array($pid, $own, true)) {
                $ended[$pid] = self::statusOf($status);
            }
        }

        return $ended;
    }

    /** @param mixed $status of pcntl_wait(); an int */
    private static function statusOf(mixed $status): int
    {
        assert(is_int($status));

        return pcntl_wifsignaled($status) ? 128 + (int) pcntl_wtermsig($status) : (int) pcntl_wexitstatus($status);
    }
}
