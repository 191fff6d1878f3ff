<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\WrongAnswer;
use Howdah\Bench\Machine\Processes;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Samples;
use Howdah\Cli\Failure;

/** Event streams that are open at once: what one costs in memory, and how many events come in a second. */
final readonly class Streams extends AloneSuite
{
    private const SECONDS = 60;

    /**
     * @param array<string, int> $counts     streams of each contender, by its name
     * @param list<Contender>    $contenders
     * @param list<Goal>         $goals
     */
    public function __construct(
        string $name,
        string $title,
        private int $events,
        private array $counts,
        array $contenders,
        array $goals,
    ) {
        parent::__construct($name, $title, $contenders, $goals);
    }

    protected function measure(Contender $contender, int $seconds, Samples $samples): void
    {
        $count = $this->counts[$contender->name];
        $streams = [];
        for ($i = 0; $i < $count; $i++) {
            $stream = @stream_socket_client("tcp://127.0.0.1:{$contender->port()}", $code, $message, self::SECONDS);
            if ($stream === false) {
                throw new Failure("$contender->name: stream $i of $count was refused: $message");
            }
            stream_set_timeout($stream, self::SECONDS);
            // Who has died meanwhile is noticed when no event comes.
            @fwrite($stream, "GET /?events=$this->events HTTP/1.1\r\nHost: localhost\r\n\r\n");
            $streams[] = $stream;
        }
        $this->await($contender, $streams, 0);
        $start = hrtime(true);
        $cpu = Processes::cpuSeconds($contender->processes());
        $bytes = Processes::pssBytes($contender->processes());
        $this->await($contender, $streams, $this->events - 1);
        $elapsed = (hrtime(true) - $start) / 1e9;
        $used = Processes::cpuSeconds($contender->processes()) - $cpu;

        $samples->add($contender->name, Metric::Requests, $count);
        $samples->add($contender->name, Metric::ParkedMemory, $bytes / $count / 1000);
        $samples->add($contender->name, Metric::Rate, $count * ($this->events - 1) / $elapsed);
        $samples->add($contender->name, Metric::ServerCpu, $used / $elapsed);
        $contender->check();
    }

    /** @param list<resource> $streams */
    private function await(Contender $contender, array $streams, int $event): void
    {
        foreach ($streams as $stream) {
            do {
                $line = fgets($stream);
                if ($line === false) {
                    throw new WrongAnswer("$contender->name: a stream ended before event $event");
                }
            } while ($line !== "data: $event\n");
        }
    }
}
