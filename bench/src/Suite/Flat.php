<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Machine\Processes;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Result;
use Howdah\Bench\Report\Samples;

/** Whether memory stays what it is: resident memory of all processes after some requests, and after many. One round. */
final readonly class Flat implements Suite
{
    private const EARLY = 10_000;

    /**
     * @param int             $late       many requests
     * @param list<Contender> $contenders
     * @param list<Goal>      $goals
     */
    public function __construct(
        private string $name,
        private string $title,
        private Load $load,
        private int $late,
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
        $counts = array_map(number_format(...), [self::EARLY, $this->late]);

        return "$this->title: after $counts[0] requests and after $counts[1]";
    }

    public function run(Run $run): Result
    {
        $samples = new Samples();
        $measure = fn (Contender $contender) => $this->measure($contender, $run->seconds, $samples);
        foreach ($this->contenders as $contender) {
            $run->one("$this->name: $contender->name", $contender, $measure);
        }

        return Result::of($this->name, $this->title(), $samples, $this->goals);
    }

    private function measure(Contender $contender, int $seconds, Samples $samples): void
    {
        $requests = 0;
        while ($requests < self::EARLY) {
            $requests += $this->load->requests($contender, 1);
        }
        $early = $this->resident($contender, $samples, Metric::EarlyMemory);
        while ($requests < $this->late) {
            $requests += $this->load->requests($contender, $seconds);
        }
        $late = $this->resident($contender, $samples, Metric::LateMemory);
        $contender->check();
        $samples->add($contender->name, Metric::Requests, $requests);
        $samples->add($contender->name, Metric::Growth, ($late / $early - 1) * 100);
    }

    private function resident(Contender $contender, Samples $samples, Metric $metric): int
    {
        $bytes = Processes::residentBytes($contender->processes());
        $samples->add($contender->name, $metric, $bytes / 2 ** 20);

        return $bytes;
    }
}
