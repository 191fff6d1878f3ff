<?php

declare(strict_types=1);

namespace Howdah\Fuzz\Calls;

use Howdah\Tests\Clock;

/** How a process gets on, by the processor's time that it had: on a busy machine it may wait for that, and does not hang. */
final class Progress
{
    /** Clock ticks a second, as /proc counts (USER_HZ: 100 on all that Linux runs on here). */
    private const TICKS = 100;

    private int $ticks = -1;
    private float $since;

    /**
     * @param int $computing seconds of the processor's time, those of its children that it waited for as well, that it may take
     * @param int $sleeping  seconds that it may sleep without having computed anything
     */
    public function __construct(
        private readonly int $pid,
        private readonly int $computing,
        private readonly int $sleeping,
    ) {
        $this->since = Clock::now();
    }

    /** Whether it has computed for too long, or slept for too long. */
    public function isOver(): bool
    {
        $stat = (string) @file_get_contents("/proc/{$this->pid}/stat");
        // proc_pid_stat(5): "pid (name) state ...", the times are fields 14 to 17; the name may have anything in it.
        $fields = explode(' ', substr($stat, (int) strrpos($stat, ')') + 2));
        if (count($fields) < 15) {
            return false;
        }
        $ticks = (int) array_sum(array_slice($fields, 11, 4));
        if ($ticks !== $this->ticks || $fields[0] !== 'S') {
            $this->ticks = $ticks;
            $this->since = Clock::now();
        }

        return $ticks > $this->computing * self::TICKS || Clock::now() - $this->since > $this->sleeping;
    }
}
