<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Result;
use Howdah\Bench\Report\Samples;

/**
 * Who is faster. All servers run from the start to the end, and are loaded one after another, round by round: what slows the
 * machine down for a while slows them all down.
 */
final readonly class Speed implements Suite
{
    /** From here on, of one core, we call it busy. */
    private const BUSY = 0.9;

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
        try {
            foreach ($this->contenders as $contender) {
                $contender->start();
            }
            for ($round = 1; $round <= $run->rounds; $round++) {
                foreach ($this->contenders as $contender) {
                    $run->tell("$this->name, round $round of $run->rounds: $contender->name");
                    $this->load->measure($contender, $run->seconds, $samples);
                }
            }
        } finally {
            foreach ($this->contenders as $contender) {
                $contender->stop();
            }
        }

        return Result::of($this->name, $this->title, $samples, $this->goals, $this->notes($samples));
    }

    /** @return list<string> */
    private function notes(Samples $samples): array
    {
        $notes = [];
        foreach ($samples->contenders() as $contender) {
            $load = $samples->series($contender, Metric::LoadCpu)->median();
            $server = $samples->series($contender, Metric::ServerCpu)->median();
            if ($load >= self::BUSY && $server < self::BUSY) {
                $notes[] = sprintf(
                    '%s: wrk was the limit (%.2f of a core, the server %.2f): the server can do more than shown.',
                    $contender,
                    $load,
                    $server,
                );
            }
        }

        return $notes;
    }
}
