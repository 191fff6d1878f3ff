<?php

declare(strict_types=1);

namespace Howdah\Bench\Load;

use Closure;
use Howdah\Bench\Machine\Processes;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Samples;

/** Processor time while a load was on: the server's, the load generator's, everybody else's. In cores. */
final readonly class Usage
{
    private function __construct(public float $server, public float $generator, public float $others)
    {
    }

    /**
     * @param Closure(): void $load starts a generator and waits for its end; no other child of ours may end meanwhile
     */
    public static function during(Contender $contender, Closure $load): self
    {
        $processes = $contender->processes();
        $before = [Processes::cpuSeconds($processes), self::ofEnded(), Processes::machineSeconds(), hrtime(true)];
        $load();
        $elapsed = (hrtime(true) - $before[3]) / 1e9;
        $server = (Processes::cpuSeconds($processes) - $before[0]) / $elapsed;
        $generator = (self::ofEnded() - $before[1]) / $elapsed;
        $machine = (Processes::machineSeconds() - $before[2]) / $elapsed;

        return new self($server, $generator, max(0.0, $machine - $server - $generator));
    }

    public function tell(Samples $samples, string $contender): void
    {
        $samples->add($contender, Metric::ServerCpu, $this->server);
        $samples->add($contender, Metric::LoadCpu, $this->generator);
        $samples->add($contender, Metric::OtherCpu, $this->others);
    }

    /** Processor time of children that have ended, in seconds: the servers have not, so the difference is the generator's. */
    private static function ofEnded(): float
    {
        /** @var array<string, int> $usage */
        $usage = getrusage(1);

        return $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']
            + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e6;
    }
}
