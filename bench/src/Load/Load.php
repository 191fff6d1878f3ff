<?php

declare(strict_types=1);

namespace Howdah\Bench\Load;

use Closure;
use Howdah\Bench\Machine\Process;
use Howdah\Bench\Machine\Processes;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Samples;
use Howdah\Cli\Failure;
use Howdah\Cli\RuntimeFolder;

/** wrk with one thread: so many connections, each asking again as soon as it is answered. */
final readonly class Load
{
    /** wrk's own is two seconds, which hides slow peers. */
    private const TIMEOUT = '20s';

    private const WARM_UP_SECONDS = 1;

    /** Connections that are cut in the middle of an answer when wrk ends. */
    private const LENGTH_TOLERANCE = 0.01;

    /** @param bool $settles false where the server is not idle without it */
    public function __construct(private string $wrk, public int $connections, private bool $settles = true)
    {
    }

    /**
     * One measurement.
     *
     * @param Closure(): void|null $halfway called once while the load is on
     */
    public function measure(Contender $contender, int $seconds, Samples $samples, ?Closure $halfway = null): void
    {
        $this->wrk($contender, self::WARM_UP_SECONDS, slow: true);
        $processes = $contender->processes();
        $before = [Processes::cpuSeconds($processes), self::cpuOfEnded(), Processes::machineSeconds(), hrtime(true)];
        $measured = $this->wrk($contender, $seconds, $halfway);
        $elapsed = (hrtime(true) - $before[3]) / 1e9;
        $server = (Processes::cpuSeconds($processes) - $before[0]) / $elapsed;
        $wrk = (self::cpuOfEnded() - $before[1]) / $elapsed;
        $machine = (Processes::machineSeconds() - $before[2]) / $elapsed;
        $contender->check();

        $rate = $measured['requests'] / ($measured['duration_us'] / 1e6);
        $samples->add($contender->name, Metric::Rate, $rate);
        $samples->add($contender->name, Metric::Median, $measured['p50_us'] / 1000);
        $samples->add($contender->name, Metric::Slowest, $measured['p99_us'] / 1000);
        $samples->add($contender->name, Metric::ServerCpu, $server);
        $samples->add($contender->name, Metric::PerCore, $rate / max($server, 0.01));
        $samples->add($contender->name, Metric::LoadCpu, $wrk);
        $samples->add($contender->name, Metric::OtherCpu, max(0.0, $machine - $server - $wrk));
    }

    /** Asks for so long and tells how many were answered. */
    public function requests(Contender $contender, int $seconds): int
    {
        return $this->wrk($contender, $seconds)['requests'];
    }

    /**
     * @param Closure(): void|null $halfway
     * @param bool                 $slow    it may be too short for one answer
     *
     * @return array<string, int> what report.lua prints
     */
    private function wrk(Contender $contender, int $seconds, ?Closure $halfway = null, bool $slow = false): array
    {
        $written = $contender->ledger?->read();
        $folder = new RuntimeFolder();
        $wrk = Process::start('wrk', [
            $this->wrk,
            '-t1',
            "-c$this->connections",
            "-d{$seconds}s",
            '--timeout',
            self::TIMEOUT,
            '-s',
            __DIR__ . '/report.lua',
            $contender->url(),
        ], $folder);
        try {
            $middle = hrtime(true) + $seconds * 500_000_000;
            while ($wrk->isRunning()) {
                usleep(20_000);
                if ($halfway !== null && hrtime(true) > $middle) {
                    $halfway();
                    $halfway = null;
                }
            }
            $report = preg_match('/^\{.*\}$/m', $wrk->output(), $match) === 1 ? json_decode($match[0], true) : null;
            $complaint = $wrk->complaint();
        } finally {
            $wrk->stop();
            $folder->remove();
        }
        if (!is_array($report)) {
            throw new Failure("wrk ended without a report: $complaint");
        }
        /** @var array<string, int> $report */
        if ($this->settles) {
            $contender->settle();
        }
        $this->judge($contender, $report, $slow);
        // A connection that was cut is one request more, and so may be one of the contender that was asked before.
        $contender->ledger?->check($contender->name, $written ?? [], $report['requests'], 2 * $this->connections);

        return $report;
    }

    /** @param array<string, int> $report */
    private function judge(Contender $contender, array $report, bool $slow): void
    {
        foreach (['connect', 'read', 'write', 'timeout', 'status'] as $kind) {
            if ($report[$kind] > 0) {
                $fault = $kind === 'status' ? 'had a status of 400 or more' : "failed ($kind)";
                throw new WrongAnswer("$contender->name, {$contender->page->path}: "
                    . "$report[$kind] of $report[requests] requests $fault");
            }
        }
        if ($report['requests'] === 0 && $slow) {
            return;
        }
        if ($report['requests'] === 0) {
            throw new WrongAnswer("$contender->name, {$contender->page->path}: no request was answered under load");
        }
        $expected = $contender->answerBytes();
        $seen = $report['bytes'] / $report['requests'];
        // One partial answer per connection may be among what was counted.
        $slack = self::LENGTH_TOLERANCE + $this->connections / $report['requests'];
        if ($expected !== null && abs($seen / $expected - 1) > $slack) {
            throw new WrongAnswer(sprintf(
                '%s, %s: answers had %.1f bytes under load, and %d before it',
                $contender->name,
                $contender->page->path,
                $seen,
                $expected,
            ));
        }
    }

    /** Processor time of children that have ended: the servers have not, so the difference is wrk's. */
    private static function cpuOfEnded(): float
    {
        /** @var array<string, int> $usage */
        $usage = getrusage(1);

        return $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']
            + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e6;
    }
}
