<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Load\Answer;
use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Load\WrongAnswer;
use Howdah\Bench\Machine\Descriptors;
use Howdah\Bench\Machine\Processes;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Result;
use Howdah\Bench\Report\Samples;
use Howdah\Cli\Failure;

/** What a request costs in memory while it waits, among many that wait at once: the server's memory, divided by their number. */
final readonly class Parked extends AloneSuite
{
    /** The server's memory is looked at again and again until it does not grow any more. */
    private const LOOK_SECONDS = 0.3;

    /**
     * @param Page            $page        that takes $pageSeconds to answer
     * @param list<Contender> $contenders
     * @param list<Goal>      $goals
     */
    public function __construct(
        string $name,
        string $title,
        private int $requests,
        private Page $page,
        private int $pageSeconds,
        array $contenders,
        array $goals,
    ) {
        parent::__construct($name, $title, $contenders, $goals);
    }

    public function run(Run $run): Result
    {
        Descriptors::allow($this->requests, $this->name);

        return parent::run($run);
    }

    protected function measure(Contender $contender, int $seconds, Samples $samples): void
    {
        $connections = [];
        for ($i = 0; $i < $this->requests; $i++) {
            $connections[] = Answer::ask($contender->port(), $this->page->path)
                ?? throw new Failure("$contender->name: connection $i of $this->requests was refused");
        }
        $bytes = 0;
        do {
            $before = $bytes;
            usleep((int) (self::LOOK_SECONDS * 1e6));
            $bytes = Processes::pssBytes($contender->processes());
        } while ($bytes > $before * 1.001);
        $measured = hrtime(true);
        $samples->add($contender->name, Metric::ParkedMemory, $bytes / $this->requests / 1000);
        $samples->add($contender->name, Metric::Maps, max([0, ...array_map(Processes::maps(...), $contender->processes())]));
        $this->assertNoneIsAnswered($contender, $connections);
        foreach ($connections as $connection) {
            $fault = $this->page->fault(Answer::read($connection));
            if ($fault !== null) {
                throw new WrongAnswer("$contender->name, {$this->page->path}: $fault");
            }
        }
        // Who is answered within that time after the measurement had begun before it.
        if (hrtime(true) - $measured > $this->pageSeconds * 1_000_000_000) {
            throw new Failure("$contender->name: not all of $this->requests requests were under way when memory was measured");
        }
        $contender->check();
    }

    /** @param list<resource> $connections */
    private function assertNoneIsAnswered(Contender $contender, array $connections): void
    {
        foreach ($connections as $connection) {
            stream_set_blocking($connection, false);
            if (stream_get_contents($connection, 1) !== '') {
                throw new Failure("$contender->name: requests were answered before all of the $this->requests were under way");
            }
            stream_set_blocking($connection, true);
        }
    }
}
