<?php

declare(strict_types=1);

namespace Howdah\Bench;

use Howdah\Bench\Data\Ledger;
use Howdah\Bench\Data\Postgres;
use Howdah\Bench\Data\Project;
use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Server\Application;
use Howdah\Bench\Server\Realms;
use Howdah\Bench\Suite\OnDatabase;
use Howdah\Bench\Suite\Speed;
use Howdah\Bench\Suite\Suite;

/** A limit on requests at once that adapts itself, beside fixed ones: as fast as the best of them, whatever requests do. */
final readonly class AdaptiveSuites extends SuiteKit
{
    private const FOUND_OUT = 'found out, up to';
    private const FIXED = 'fixed at';

    private const SHARE = 0.9;

    /** Seconds of load before the first measurement: a hundred requests a second take that long. A short run has less. */
    private const SEARCH = 10;
    private const SHORT_SEARCH = 3;

    /** @return list<Suite> */
    public function all(): array
    {
        [$clients, $waiting, $asking] = $this->choices->full
            ? [[8, 64, 256], [16, 64, 512], [4, 16, 64]]
            : [[64], [64, 512], [16, 64]];

        return [
            ...($this->choices->full ? [$this->script('hello', 64, [64])] : []),
            $this->script('wait', 1000, $waiting),
            ...array_map(fn (int $connections): Suite => $this->tenQueries($connections, $asking), $clients),
        ];
    }

    /** @param non-empty-list<int> $fixed */
    private function script(string $script, int $connections, array $fixed): Suite
    {
        $what = $script === 'wait' ? 'a wait of 10 ms' : 'one line of text';
        $title = "how many at once: $what, $connections connections, after {$this->search()} s";

        return $this->speed("limit-$script-$connections", $title, $connections, $fixed, $this->own($script), $this->greeting());
    }

    /** @param non-empty-list<int> $fixed */
    private function tenQueries(int $connections, array $fixed): Suite
    {
        $name = "limit-laravel-10q-$connections";
        $title = "how many at once: Laravel, ten queries, $connections connections, after {$this->search()} s";

        return new OnDatabase(
            $name,
            $title,
            "$this->root/examples/laravel",
            fn (Project $plain, Project $persistent, Postgres $postgres): Suite => $this->speed(
                $name,
                $title,
                $connections,
                $fixed,
                $plain->application(),
                $this->blogPage(),
                $this->blogLedger($postgres),
            ),
        );
    }

    /** @param non-empty-list<int> $fixed limits; the last is the ceiling of the one that is found out */
    private function speed(
        string $name,
        string $title,
        int $connections,
        array $fixed,
        Application $application,
        Page $page,
        ?Ledger $ledger = null,
    ): Suite {
        $module = $this->tools->module;
        $most = $fixed[count($fixed) - 1];
        $foundOut = self::FOUND_OUT . " $most";
        $one = fn (string $name, Realms $realms): Contender => $this->contender($name, $realms, $page, $ledger);
        $contenders = [$one($foundOut, Realms::worker($module, $application, $most, adaptive: true))];
        $goals = [];
        foreach ($fixed as $limit) {
            $contenders[] = $one(self::FIXED . " $limit", Realms::worker($module, $application, $limit));
            $text = "$foundOut / " . self::FIXED . " $limit";
            $goals[] = Goal::atLeast(self::SHARE, $text, Metric::Rate, $foundOut, self::FIXED . " $limit");
        }

        $load = new Load($this->tools->wrk, $connections, warmUp: $this->search());

        return new Speed($name, $title, $load, $contenders, $goals);
    }

    private function search(): int
    {
        return $this->choices->full ? self::SEARCH : self::SHORT_SEARCH;
    }
}
