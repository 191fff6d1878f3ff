<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Machine\Processes;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Result;
use Howdah\Bench\Report\Samples;

/**
 * Who needs less memory while it answers. Each server runs alone: pages of libraries and of PHP that two servers share would
 * count half for each. It starts anew in each round.
 */
final readonly class Memory implements Suite
{
    /** @param list<Contender> $contenders */
    public function __construct(
        private string $name,
        private string $title,
        private Load $load,
        private array $contenders,
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
        $run->alone($this->name, $this->contenders, function (Contender $contender) use ($run, $samples): void {
            $this->load->measure($contender, $run->seconds, $samples, fn () => $this->sample($contender, $samples));
        });

        return Result::of($this->name, $this->title, $samples, []);
    }

    private function sample(Contender $contender, Samples $samples): void
    {
        $processes = $contender->processes();
        $samples->add($contender->name, Metric::Pss, Processes::pssBytes($processes) / 2 ** 20);
        $samples->add($contender->name, Metric::Processes, count($processes));
    }
}
