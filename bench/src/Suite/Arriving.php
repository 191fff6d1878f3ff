<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Load\Arrivals;
use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Reception;
use Howdah\Bench\Load\Search;
use Howdah\Bench\Load\WrongAnswer;
use Howdah\Bench\Machine\Descriptors;
use Howdah\Bench\Machine\Processes;
use Howdah\Bench\Report\Curve;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Result;
use Howdah\Bench\Report\Samples;

/** Requests that come at a constant rate: what becomes of a given one, and which is the highest that is held. */
final readonly class Arriving extends AloneSuite
{
    /** What "held" means: no error, and p99 below this. */
    private const HELD_MS = 500.0;

    /** Each client asks once a second. */
    private const WARM_UP_SECONDS = 1.0;

    /** Of one try: with fewer, p99 is the slowest. */
    private const LEAST_REQUESTS = 100;

    /** A rate that is held for so many times as long as it was tried is believed. */
    private const CONFIRMED = 2;

    /**
     * @param float           $rate       requests a second; the search begins there
     * @param list<Contender> $contenders
     * @param list<Goal>      $goals
     * @param float           $most       where the search ends: a client for each request of a second
     * @param float           $shown      seconds that the given rate is on at least, to show whether latencies stay
     */
    public function __construct(
        string $name,
        string $title,
        private Arrivals $arrivals,
        private float $rate,
        array $contenders,
        array $goals,
        private float $most = 4096.0,
        private float $shown = 10.0,
    ) {
        parent::__construct($name, $title, $contenders, $goals);
    }

    public function run(Run $run): Result
    {
        // A client for each request of a second; with less, h2load would be refused connections, and the server blamed.
        Descriptors::allow((int) max($this->most, $this->rate), $this->name);

        return parent::run($run);
    }

    protected function measure(Contender $contender, int $seconds, Samples $samples): void
    {
        $seconds = max((float) $seconds, self::LEAST_REQUESTS / $this->rate);
        $memory = static function (Metric $metric) use ($contender, $samples): void {
            $samples->add($contender->name, $metric, Processes::pssBytes($contender->processes()) / 2 ** 20);
        };
        $memory(Metric::IdlePss);
        $this->arrivals->at($this->rate, $contender, self::WARM_UP_SECONDS);
        $this->tell($contender, $samples, $this->arrivals->at(
            $this->rate,
            $contender,
            max($this->shown, $seconds),
            static fn () => $memory(Metric::Pss),
        ));
        $contender->check();
        $holds = function (float $rate, float $seconds) use ($contender): bool {
            $reception = $this->arrivals->at($rate, $contender, $seconds);
            $contender->check();

            return $reception->holds(self::HELD_MS);
        };
        $held = Search::highest(
            $this->rate,
            $this->most,
            static fn (float $rate): bool => $holds($rate, max($seconds, self::LEAST_REQUESTS / $rate)),
            static fn (float $rate): bool => $holds($rate, self::CONFIRMED * $seconds),
        );
        $samples->add($contender->name, Metric::Held, $held);
    }

    private function tell(Contender $contender, Samples $samples, Reception $reception): void
    {
        $name = $contender->name;
        if ($reception->answers === []) {
            throw new WrongAnswer("$name, {$contender->page->path}: no request was answered, at $this->rate a second");
        }
        $samples->add($name, Metric::Offered, $reception->pace->rate);
        $samples->add($name, Metric::Rate, $reception->rate());
        foreach ([[Metric::Median, 0.5], [Metric::Late, 0.95], [Metric::Slowest, 0.99]] as [$metric, $part]) {
            $samples->add($name, $metric, $reception->quantileMs($part));
        }
        $samples->add($name, Metric::Errors, $reception->errors);
        $samples->add($name, Metric::Unanswered, $reception->late);
        $samples->add($name, Metric::Dropped, 100 * $reception->dropped());
        $reception->usage->tell($samples, $name);
        $limit = $reception->generatorLimit();
        if ($limit !== null) {
            $samples->doubt($name, $limit);
        }
        $curve = new Curve('latency_over_time', 'seconds', 'p95 ms of the requests sent in that second');
        foreach ($reception->overTimeMs(0.95) as $second => $latency) {
            $samples->point($curve, $name, $second, $latency);
        }
    }
}
