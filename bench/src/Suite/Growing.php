<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Load\Contender;
use Howdah\Bench\Machine\Processes;
use Howdah\Bench\Report\Curve;
use Howdah\Bench\Report\Fit;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Samples;

/** What becomes of throughput and memory as there is more of something: a curve of each, and the power with which it grows. */
final readonly class Growing extends AloneSuite
{
    /** @var array<string, Place> by the contender's name */
    private array $places;

    /**
     * @param string      $what   grows: workers, realms, connections, ...
     * @param list<Place> $places whose contenders have names of their own
     * @param list<Goal>  $goals
     */
    public function __construct(string $name, string $title, private string $what, array $places, array $goals)
    {
        $contenders = array_map(static fn (Place $place): Contender => $place->contender, $places);
        $names = array_map(static fn (Contender $contender): string => $contender->name, $contenders);
        $this->places = array_combine($names, $places);
        parent::__construct($name, $title, $contenders, $goals);
    }

    protected function measure(Contender $contender, int $seconds, Samples $samples): void
    {
        $place = $this->places[$contender->name];
        $place->load->measure($contender, $seconds, $samples, static function () use ($contender, $samples): void {
            $samples->add($contender->name, Metric::Pss, Processes::pssBytes($contender->processes()) / 2 ** 20);
        });
        foreach ($this->curves() as [$metric, $curve]) {
            $samples->point($curve, $place->line, $place->amount, $samples->series($contender->name, $metric)->last());
        }
    }

    protected function conclude(Samples $samples): void
    {
        foreach ($this->curves() as [, $curve, $growth]) {
            foreach ($samples->points($curve) as $line => $points) {
                $medians = array_map(static fn (array $point): array => [$point[0], $point[1]->median()], $points);
                $exponent = Fit::exponent($medians);
                if ($exponent !== null) {
                    $samples->add($line, $growth, $exponent);
                }
            }
        }
    }

    /** @return list<array{Metric, Curve, Metric}> what is measured at each place, its curve, and the metric of the curve's power */
    private function curves(): array
    {
        return [
            [Metric::Rate, new Curve('throughput', $this->what, 'requests a second'), Metric::RateExponent],
            [Metric::Pss, new Curve('memory', $this->what, 'PSS MiB of all processes'), Metric::MemoryExponent],
        ];
    }
}
