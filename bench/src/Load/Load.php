<?php

declare(strict_types=1);

namespace Howdah\Bench\Load;

use Closure;
use Howdah\Bench\Machine\Process;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Samples;
use Howdah\Cli\Failure;
use Howdah\Cli\RuntimeFolder;

/** wrk with one thread: so many connections, each asking again as soon as it is answered. */
final readonly class Load
{
    /** wrk's own is two seconds, which hides slow peers. */
    private const TIMEOUT = '20s';

    /** Seconds. */
    public const WARM_UP = 1;

    /** Each connection shall have its turn, with slow servers too: more of them take longer. */
    public const CONNECTIONS_A_SECOND = 500;

    /** For wrk to come to its end. */
    private const END_SECONDS = 60;

    /** Connections that are cut in the middle of an answer when wrk ends. */
    private const LENGTH_TOLERANCE = 0.01;

    /**
     * @param bool $settles  false where the server is not idle without it
     * @param bool $tolerant errors are a figure, and who has some has no ratios, but is not out
     * @param int  $warmUp   seconds of load before the first measurement, at least
     * @param int  $turns    connections that the slowest answers in a second: with more the load is on for longer
     * @param list<string> $rotation what is asked for in turn, instead of the contender's page: requests as they are written,
     *                               each of several where they are pipelined
     */
    public function __construct(
        private string $wrk,
        public int $connections,
        private bool $settles = true,
        private bool $tolerant = false,
        private int $warmUp = self::WARM_UP,
        private int $turns = self::CONNECTIONS_A_SECOND,
        private array $rotation = [],
    ) {
    }

    /**
     * One measurement.
     *
     * @param Closure(): void|null $halfway called once while the load is on
     * @param bool                 $warm    it is the contender's first since it was started
     */
    public function measure(
        Contender $contender,
        int $seconds,
        Samples $samples,
        ?Closure $halfway = null,
        bool $warm = true,
    ): void {
        $least = (int) ceil($this->connections / $this->turns);
        if ($warm) {
            $this->load($contender, max($least, $this->warmUp), slow: true);
        }
        [$report, $usage] = $this->load($contender, max($least, $seconds), $halfway);
        $contender->check();

        $rate = $report['requests'] / ($report['duration_us'] / 1e6);
        $samples->add($contender->name, Metric::Rate, $rate);
        $samples->add($contender->name, Metric::Median, $report['p50_us'] / 1000);
        $samples->add($contender->name, Metric::Slowest, $report['p99_us'] / 1000);
        $samples->add($contender->name, Metric::PerCore, $rate / max($usage->server, 0.01));
        $usage->tell($samples, $contender->name);
        if ($this->tolerant) {
            $errors = array_sum(self::errors($report));
            $samples->add($contender->name, Metric::Errors, $errors);
            if ($errors > 0) {
                $samples->doubt($contender->name, "had $errors errors in $report[requests] requests");
            }
        }
    }

    /** Asks for so long and tells how many were answered. */
    public function requests(Contender $contender, int $seconds): int
    {
        return $this->load($contender, $seconds)[0]['requests'];
    }

    /**
     * @param Closure(): void|null $halfway
     * @param bool                 $slow    it may be too short for one answer
     *
     * @return array{array<string, int>, Usage} what report.lua prints, and what it cost
     */
    private function load(Contender $contender, int $seconds, ?Closure $halfway = null, bool $slow = false): array
    {
        $written = $contender->ledger?->read();
        $report = [];
        $usage = Usage::during($contender, function () use (&$report, $contender, $seconds, $halfway): void {
            $report = $this->wrk($contender, $seconds, $halfway);
        });
        /** @var array<string, int> $report */
        if ($this->settles) {
            $contender->settle();
        }
        $this->judge($contender, $report, $slow);
        // A connection that was cut is one request more, and so may be one of the contender that was asked before.
        $contender->ledger?->check($contender->name, $written ?? [], $report['requests'], 2 * $this->connections);

        return [$report, $usage];
    }

    /**
     * @param Closure(): void|null $halfway
     *
     * @return array<string, int> what report.lua prints
     */
    private function wrk(Contender $contender, int $seconds, ?Closure $halfway): array
    {
        $folder = new RuntimeFolder();
        $wrk = Process::start('wrk', [
            ...$contender->beside(),
            $this->wrk,
            '-t1',
            "-c$this->connections",
            "-d{$seconds}s",
            '--timeout',
            self::TIMEOUT,
            '-s',
            __DIR__ . ($this->rotation === [] ? '/report.lua' : '/rotate.lua'),
            $contender->url(),
            ...($this->rotation === [] ? [] : ['--', ...$this->written($folder)]),
        ], $folder);
        try {
            $wrk->await($seconds + self::END_SECONDS, $seconds / 2, $halfway);
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
        return $report;
    }

    /** @return list<string> files, each with one of the rotation */
    private function written(RuntimeFolder $folder): array
    {
        $files = [];
        foreach ($this->rotation as $number => $request) {
            $folder->write("$number.request", $request);
            $files[] = "$folder->path/$number.request";
        }

        return $files;
    }

    /** @param array<string, int> $report */
    private function judge(Contender $contender, array $report, bool $slow): void
    {
        foreach ($this->tolerant ? [] : self::errors($report) as $kind => $count) {
            $fault = $kind === 'status' ? 'had a status of 400 or more' : "failed ($kind)";
            throw new WrongAnswer("$contender->name, {$contender->page->path}: $count of $report[requests] requests $fault");
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
        if (self::errors($report) === [] && $expected !== null && abs($seen / $expected - 1) > $slack) {
            throw new WrongAnswer(sprintf(
                '%s, %s: answers had %.1f bytes under load, and %d before it',
                $contender->name,
                $contender->page->path,
                $seen,
                $expected,
            ));
        }
    }

    /**
     * @param array<string, int> $report
     *
     * @return array<string, int<1, max>> those that there were
     */
    private static function errors(array $report): array
    {
        $kinds = array_flip(['connect', 'read', 'write', 'timeout', 'status']);

        return array_filter(array_intersect_key($report, $kinds), static fn (int $count): bool => $count > 0);
    }
}
