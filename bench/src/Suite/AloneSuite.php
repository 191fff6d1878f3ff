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
        $measure = fn (Contender $contender) => $this->measure($contender, $run->seconds, $samples);
        $run->alone($this->name, $this->contenders, $measure);

        return Result::of($this->name, $this->title, $samples, $this->goals);
    }
}
