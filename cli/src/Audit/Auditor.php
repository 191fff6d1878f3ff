<?php

declare(strict_types=1);

namespace Howdah\Cli\Audit;

use Closure;
use Howdah\Cli\Failure;
use Howdah\Cli\Installation;
use Howdah\Cli\Mode;
use Howdah\Cli\Place;
use Howdah\Cli\PoolOptions;
use Howdah\Cli\Preparation;
use Howdah\Cli\RuntimeFolder;
use Howdah\Cli\Server;
use Howdah\Cli\Watch;

/** Serves an application with the engine's audit on, asks it for pages, and reads what the audit has found. */
final readonly class Auditor
{
    /** An application of few pages is asked more often for them: what is shared shows when requests overlap. */
    private const LEAST = 200;

    /** @param Closure(string): void $tell prints a line for the user */
    public function __construct(
        private Installation $installation,
        private AuditOptions $options,
        private Closure $tell,
    ) {
    }

    /** @param Closure(Tally): void $progress called now and then */
    public function run(Closure $progress): Audit
    {
        $options = $this->options;
        $address = substr($options->serve->listen->toUrl(), strlen('http://'));
        $origin = 'http://' . ($options->host ?? $address);
        if ($options->log !== null && $options->serve->user !== null) {
            (new Place(dirname($options->log)))->assertRoots(
                "--log={$options->log}, --user={$options->serve->user}",
                false,
                'name one in a folder of root\'s, as in /var/log',
            );
        }
        // First what costs nothing: a mistake in the file of requests, an extension that is missing.
        $plan = $this->plan($origin);
        $fleet = new Fleet($origin, $address, $options->clients);
        // With one request at a time no extension is refused: the audit is there to look at it.
        $preparation = Preparation::of($this->installation, $options->serve, 1);
        $folder = new RuntimeFolder($options->serve->user);
        try {
            $rewinds = $options->rewind && $preparation->project->mode === Mode::Worker;
            if ($options->rewind && !$rewinds) {
                ($this->tell)(PoolOptions::NO_REWIND);
            }
            $report = "$folder->path/audit.json";
            $log = new ServerLog($options->log ?? "$folder->path/log");
            $folder->write('nginx.conf', $preparation->configuration(new Watch($report, $options->seed)));
            $server = new Server($preparation, $folder, $options->serve->stopTimeout, static fn () => null, $log->file);
            ($this->tell)("auditing {$preparation->project->root} in {$preparation->project->mode->value} mode"
                . " with {$options->clients} clients, seed {$options->seed}");
            $tally = new Tally();
            $ended = '';
            $server->during(function (Closure $mustEnd) use ($fleet, $plan, $tally, $progress, &$ended): void {
                $ended = $fleet->run($plan, $tally, $this->options->seconds, $mustEnd, $progress);
            });

            return $this->judge($tally, Report::read($report), $ended, $log, $rewinds);
        } catch (Failure $failure) {
            foreach (isset($log) ? $log->tail() : [] as $line) {
                ($this->tell)("log: $line");
            }
            throw $failure;
        } finally {
            $folder->remove();
        }
    }

    private function plan(string $origin): Plan
    {
        $options = $this->options;
        if ($options->requests !== null) {
            return new ListPlan(RequestList::read($options->requests), $options->rounds);
        }
        $links = new Links($origin);

        return new CrawlPlan($links, $options->pagesMax, $options->rounds, $options->clients, self::LEAST, $options->seed);
    }

    private function judge(Tally $tally, Report $report, string $ended, ServerLog $log, bool $rewinds): Audit
    {
        $crashes = $log->crashes();
        if ($tally->answered === 0 && $crashes === []) {
            $what = match (true) {
                $tally->requests > 0 => 'PHP answered no request'
                    . ($tally->failed() > 0 ? ' without an error (' . implode(', ', $tally->examples()) . ')' : ''),
                $ended === 'time' => "no answer came within {$this->options->seconds} s (--time)",
                default => 'it was stopped before an answer came',
            };
            throw new Failure("$what, so nothing can be said: see what `howdah serve` answers, or name pages with"
                . ' --requests=FILE');
        }

        $rewind = $rewinds ? new Rewind($log->obstacles(), $log->spoiled()) : null;

        return new Audit($tally, $report, $this->options->seed, $ended, $crashes, $rewind);
    }
}
