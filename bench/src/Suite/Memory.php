<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Machine\Processes;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Samples;

/**
 * Who needs less memory while it answers. Each server runs alone: pages of libraries and of PHP that two servers share would
 * count half for each.
 */
final readonly class Memory extends AloneSuite
{
    /**
     * @param list<Contender> $contenders
     * @param list<Goal>      $goals
     */
    public function __construct(
        string $name,
        string $title,
        private Load $load,
        array $contenders,
        array $goals,
    ) {
        parent::__construct($name, $title, $contenders, $goals);
    }

    protected function measure(Contender $contender, int $seconds, Samples $samples): void
    {
        $this->load->measure($contender, $seconds, $samples, fn () => $this->sample($contender, $samples));
    }

    private function sample(Contender $contender, Samples $samples): void
    {
        $processes = $contender->processes();
        $samples->add($contender->name, Metric::Pss, Processes::pssBytes($processes) / 2 ** 20);
        $samples->add($contender->name, Metric::Processes, count($processes));
    }
}
