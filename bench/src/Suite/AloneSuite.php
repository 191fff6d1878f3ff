<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Load\Contender;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Result;
use Howdah\Bench\Report\Samples;

/** A suite whose contenders run one at a time, each anew in each round: what is measured would feel the others beside it. */
abstract readonly class AloneSuite implements Suite
{
    /**
     * @param list<Contender> $contenders
     * @param list<Goal>      $goals
     */
    public function __construct(
        protected string $name,
        private string $title,
        private array $contenders,
        private array $goals,
    ) {
    }

    /** @param int $seconds that it may take, where the measurement has no length of its own */
    abstract protected function measure(Contender $contender, int $seconds, Samples $samples): void;

    /** What follows from all that was measured. */
    protected function conclude(Samples $samples): void
    {
    }

    public function name(): string
    {
        return $this->name;
    }

    public function title(): string
    {
        return $this->title;
    }

    public function run(Run $run): Result
    {
        $samples = new Samples();
        $takingPart = new TakingPart($this->name, $run);
        $there = $takingPart->present($this->contenders);
        try {
            for ($round = 1; $round <= $run->aloneRounds; $round++) {
                foreach ($there as $contender) {
                    $run->tell("$this->name, round $round of $run->aloneRounds: $contender->name");
                    $takingPart->or($contender, function () use ($contender, $run, $samples): void {
                        $contender->start();
                        $this->measure($contender, $run->seconds, $samples);
                    });
                    $contender->stop();
                }
                $there = $takingPart->sound($there);
            }
        } finally {
            foreach ($there as $contender) {
                $contender->stop();
            }
        }

        $this->conclude($samples);

        return $takingPart->result($this->title, $samples, $this->goals);
    }
}
