<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Closure;
use Howdah\Bench\Load\Contender;

/** How thoroughly suites measure, and where they tell how far they are. */
final readonly class Run
{
    /**
     * @param int                   $seconds of one measurement
     * @param Closure(string): void $tell
     * @param int                   $aloneRounds of suites whose servers start anew in each round, which takes longest
     */
    public function __construct(
        public int $rounds,
        public int $seconds,
        private Closure $tell,
        public int $aloneRounds = 1,
    ) {
    }

    public function tell(string $what): void
    {
        ($this->tell)($what);
    }

    /** @param Closure(Contender): void $measure while the contender runs */
    public function one(string $what, Contender $contender, Closure $measure): void
    {
        $this->tell($what);
        try {
            $contender->start();
            $measure($contender);
        } finally {
            $contender->stop();
        }
    }
}
