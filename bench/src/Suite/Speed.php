<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Result;
use Howdah\Bench\Report\Samples;

/**
 * Who is faster. All servers run from the start to the end, and are loaded one after another, round by round: what slows the
 * machine down for a while slows them all down.
 */
final readonly class Speed implements Suite
{
    /**
     * @param list<Contender> $contenders
     * @param list<Goal>      $goals
     */
    public function __construct(
        private string $name,
        private string $title,
        private Load $load,
        private array $contenders,
        private array $goals,
    ) {
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
        try {
            $there = $takingPart->start($this->contenders);
            for ($round = 1; $round <= $run->rounds; $round++) {
                foreach ($there as $contender) {
                    $run->tell("$this->name, round $round of $run->rounds: $contender->name");
                    $measure = fn () => $this->load->measure($contender, $run->seconds, $samples, warm: $round === 1);
                    $takingPart->or($contender, $measure);
                }
                $there = $takingPart->sound($there);
            }
        } finally {
            foreach ($this->contenders as $contender) {
                $contender->stop();
            }
        }

        return $takingPart->result($this->title, $samples, $this->goals);
    }
}
