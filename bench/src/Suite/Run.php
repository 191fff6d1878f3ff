<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Closure;

/** How thoroughly suites measure, and where they tell how far they are. */
final readonly class Run
{
    /**
     * @param int                   $seconds of one measurement
     * @param Closure(string): void $tell
     */
    public function __construct(public int $rounds, public int $seconds, private Closure $tell)
    {
    }

    public function tell(string $what): void
    {
        ($this->tell)($what);
    }
}
