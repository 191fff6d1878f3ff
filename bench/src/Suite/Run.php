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
     */
    public function __construct(public int $rounds, public int $seconds, private Closure $tell)
    {
    }

    public function tell(string $what): void
    {
        ($this->tell)($what);
    }

    /**
     * Round by round, each contender anew and alone.
     *
     * @param list<Contender>           $contenders
     * @param Closure(Contender): void $measure
     */
    public function alone(string $suite, array $contenders, Closure $measure): void
    {
        for ($round = 1; $round <= $this->rounds; $round++) {
            foreach ($contenders as $contender) {
                $this->one("$suite, round $round of $this->rounds: $contender->name", $contender, $measure);
            }
        }
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
