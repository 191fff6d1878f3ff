<?php

declare(strict_types=1);

namespace Howdah\Cli\Control;

/**
 * Which signals to stop are one wish. What stops a whole process group may tell us twice (`timeout`, make), in an instant; who
 * is tired of waiting tells us later. Nobody knows when a signal came, only when none had come yet: this process may have stood
 * still in between, and then a signal counts as early as it may have been.
 */
final class StopWishes
{
    /** Signals that come together are one. */
    private const TOGETHER_NANOSECONDS = 500_000_000;

    /** None had come by then. */
    private int $noneBy;

    /** @param int $first nanoseconds of the clock: when the first one was heard */
    public function __construct(private readonly int $first)
    {
        $this->noneBy = $first;
    }

    /**
     * A look for another signal; true when one was heard that is another wish.
     *
     * @param int $began when the look began
     */
    public function isAnother(int $began, bool $heard): bool
    {
        if (!$heard) {
            $this->noneBy = $began;
        }

        return $heard && $this->noneBy - $this->first > self::TOGETHER_NANOSECONDS;
    }
}
