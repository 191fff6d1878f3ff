<?php

declare(strict_types=1);

namespace Howdah\Bench\Load;

use Closure;
use Howdah\Bench\Machine\Missing;
use Howdah\Bench\Machine\Process;
use Howdah\Cli\Program;
use Howdah\Cli\RuntimeFolder;

/**
 * Requests that come at a constant rate, however long the others take (Pace): h2load, speaking HTTP/1.1. It logs a line for
 * each request, from which Reception makes percentiles.
 *
 * Not autocannon (read in release 8.0): each of its connections sends its share of a second at once at that second's start,
 * forgets what was not sent when the next one starts, and corrects latencies for an interval of ceil(1 / rate), which is one
 * millisecond at every rate; its JSON has no p95.
 */
final readonly class Arrivals
{
    /** What is not answered so long after the last request was due is late, whatever comes of it. */
    private const GRACE_SECONDS = 1.0;

    /**
     * @param float                $seconds at least one: each client asks once
     * @param Closure(): void|null $halfway called once while the load is on
     *
     * @return Reception throws WrongAnswer when what was asked for was not written, or once too often
     */
    public function at(float $rate, Contender $contender, float $seconds, ?Closure $halfway = null): Reception
    {
        $pace = Pace::of($rate);
        $written = $contender->ledger?->read();
        $folder = new RuntimeFolder();
        try {
            $usage = Usage::during($contender, function () use ($folder, $pace, $contender, $seconds, $halfway): void {
                $this->h2load($folder, $pace, $contender, $seconds, $halfway);
            });
            $log = (string) @file_get_contents("$folder->path/requests");
        } finally {
            $folder->remove();
        }
        $reception = Reception::of($pace, $seconds, $usage, $log);
        $contender->settle();
        // Clients that were cut, and those before them, have asked for what may be written yet.
        $cut = 2 * $pace->clients + $reception->errors;
        $contender->ledger?->check($contender->name, $written ?? [], count($reception->answers), $cut);

        return $reception;
    }

    private function h2load(RuntimeFolder $folder, Pace $pace, Contender $contender, float $seconds, ?Closure $halfway): void
    {
        $h2load = Program::find('h2load') ?? throw new Missing('h2load is not installed (packaging/deps bench)');
        $process = Process::start('h2load', [
            ...$contender->beside(),
            $h2load,
            '--h1',
            "--clients=$pace->clients",
            "--rate=$pace->batch",
            "--rate-period={$pace->period_ms}ms",
            sprintf('--rps=%.6F', $pace->perClient()),
            "--requests={$pace->requests($seconds)}",
            "--log-file=$folder->path/requests",
            $contender->url(),
        ], $folder);
        try {
            $process->await($pace->requests($seconds) / $pace->rate + self::GRACE_SECONDS, $seconds / 2, $halfway);
        } finally {
            $process->stop();
        }
    }
}
