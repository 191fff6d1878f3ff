<?php

declare(strict_types=1);

namespace Howdah\Bench;

use Closure;
use Howdah\Bench\Data\Ledger;
use Howdah\Bench\Data\Postgres;
use Howdah\Bench\Data\Project;
use Howdah\Bench\Data\Redis;
use Howdah\Bench\Load\Arrivals;
use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Server\Content;
use Howdah\Bench\Server\Fpm;
use Howdah\Bench\Server\Realms;
use Howdah\Bench\Suite\Arriving;
use Howdah\Bench\Suite\OnDatabase;
use Howdah\Bench\Suite\Speed;
use Howdah\Bench\Suite\Suite;

/** Laravel with a database, a cache and sessions: what requests write is counted. Eight realms meet eight children. */
final readonly class DataSuites extends SuiteKit
{
    /** A worker of a peer for each of Howdah. */
    private const EQUAL = 1;

    /** @return list<Suite> */
    public function all(): array
    {
        return [
            $this->tenQueries(self::CONNECTIONS),
            $this->tenQueriesArriving(),
            ...array_map($this->endpoint(...), ['static', 'database', 'cache', 'session', 'all']),
        ];
    }

    /** @return list<Suite> the published table has as many workers of everybody, whatever each of them does at once */
    public function named(): array
    {
        return [$this->tenQueriesArriving('laravel-10q-equal', self::EQUAL)];
    }

    /** Who is asked again as soon as it has answered. */
    private function tenQueries(int $connections): Suite
    {
        $name = 'laravel-10q';
        $title = "Laravel, ten queries on PostgreSQL, $connections connections";

        return $this->onBlog($name, $title, fn (Project $plain, Project $persistent, Postgres $postgres): Suite => new Speed(
            $name,
            $title,
            new Load($this->tools->wrk, $connections),
            $this->blogs($plain, $persistent, $postgres, 1, self::AT_ONCE),
            array_values($this->goals(Metric::Rate)),
        ));
    }

    /**
     * Who is asked whether it has answered or not.
     *
     * @param int $children of php-fpm, and workers of the other peers, for each worker of Howdah
     */
    private function tenQueriesArriving(string $name = 'laravel-10q-rate', int $children = self::AT_ONCE): Suite
    {
        $workers = $this->choices->workers;
        $rate = $this->choices->rate;
        $given = $workers === 1 ? '1 worker' : "$workers workers";
        $title = "Laravel, ten queries on PostgreSQL, $rate requests a second, $given"
            . ($children === self::EQUAL ? ' of everybody' : '');
        $absent = $this->choices->full ? [self::CLASSIC] : [self::REWOUND, self::CLASSIC, self::CLASSIC_PERSISTENT, self::FPM];
        $goals = $children === self::EQUAL ? $this->equalGoals() : $this->goals(Metric::Held);

        return $this->onBlog($name, $title, fn (Project $plain, Project $persistent, Postgres $postgres): Suite => new Arriving(
            $name,
            $title,
            new Arrivals(),
            $rate,
            array_values(array_filter(
                $this->blogs($plain, $persistent, $postgres, $workers, $children * $workers),
                static fn (Contender $one): bool => !in_array($one->name, $absent, true),
            )),
            array_values(array_diff_key($goals, array_flip($absent))),
        ));
    }

    /** @param Closure(Project, Project, Postgres): Suite $suite */
    private function onBlog(string $name, string $title, Closure $suite): Suite
    {
        return new OnDatabase($name, $title, "$this->root/examples/laravel", $suite);
    }

    /**
     * @param int $workers  nginx's, each with AT_ONCE realms
     * @param int $children of php-fpm; the other peers have as many workers, with persistent connections
     *
     * @return list<Contender>
     */
    private function blogs(Project $plain, Project $persistent, Postgres $postgres, int $workers, int $children): array
    {
        $page = $this->blogPage();
        $ledger = $this->blogLedger($postgres);
        $module = $this->tools->module;
        $contents = [
            self::WORKER => Realms::worker($module, $plain->application(), self::AT_ONCE, self::AT_ONCE),
            self::REWOUND => Realms::rewound($module, $plain->application(), self::AT_ONCE, self::AT_ONCE),
            self::CLASSIC => Realms::classic($module, $plain->application(), self::AT_ONCE),
            self::CLASSIC_PERSISTENT => Realms::classic($module, $persistent->application(), self::AT_ONCE),
            self::FPM => new Fpm($this->tools, $plain->application(), $children),
            self::FPM_PERSISTENT => new Fpm($this->tools, $persistent->application(), $children),
        ];
        $contender = fn (string $name, Content $content): Contender =>
            $this->contender($name, $content, $page, $ledger, workers: $workers);

        return [
            ...array_map($contender, array_keys($contents), $contents),
            ...self::contenders($this->laravelPeers($persistent->application(), $children), $page, $ledger, $workers),
        ];
    }

    /** @return array<string, Goal> by one of the two */
    private function equalGoals(): array
    {
        $octane = [self::OCTANE_SWOOLE, self::OCTANE_ROADRUNNER, self::OCTANE_FRANKENPHP];
        $goal = static fn (string $one): Goal =>
            Goal::atLeast(1.5, "worker mode / $one", Metric::Held, self::WORKER, $one);

        return array_combine($octane, array_map($goal, $octane));
    }

    /** @return array<string, Goal> by one of the two */
    private function goals(Metric $metric): array
    {
        $persistently = self::FPM_PERSISTENT;

        return [
            self::REWOUND => self::rewinds(0.97, $metric),
            $persistently => Goal::atLeast(1.3, "worker mode / $persistently", $metric, self::WORKER, $persistently),
            self::FPM => Goal::atLeast(1.3, 'worker mode / php-fpm', $metric, self::WORKER, self::FPM),
            self::OCTANE_SWOOLE => Goal::atLeast(
                1.3,
                'worker mode / ' . self::OCTANE_SWOOLE,
                $metric,
                self::WORKER,
                self::OCTANE_SWOOLE,
            ),
            self::FRANKENPHP_WORKER => self::times(1.3, self::WORKER, self::FRANKENPHP_WORKER, 'worker mode', $metric),
            self::CLASSIC_PERSISTENT => self::times(
                1.2,
                self::CLASSIC_PERSISTENT,
                self::FRANKENPHP_CLASSIC,
                'classic mode, persistent connections',
                $metric,
            ),
        ];
    }

    /** The table that CodeIgniter users know: what classic mode and worker mode make of the same pages. */
    private function endpoint(string $endpoint): Suite
    {
        $redis = new Redis();
        $text = [
            'static' => '"static":"(?:text ){20}"',
            'database' => '"database":"[^"]+, \d+"',
            'cache' => '"cache":"(?:text ){20}"',
            'session' => '"session":1',
        ];
        $json = $endpoint === 'all' ? implode(',', array_slice($text, 1)) : $text[$endpoint];
        $title = "Laravel, $endpoint (PostgreSQL, Redis), " . self::CONNECTIONS . ' connections';
        $suite = function (
            Project $plain,
            Project $persistent,
            Postgres $postgres,
        ) use (
            $endpoint,
            $title,
            $json,
            $redis,
        ): Suite {
            $page = Page::matching("/endpoints/$endpoint", "/^\\{{$json}\\}$/D");
            $counts = [
                'database' => fn (): int => $postgres->number('SELECT count(*) FROM post_views'),
                'cache' => fn (): int => $redis->cached('hits'),
                'session' => fn (): int => $redis->sessions(),
            ];
            $ledger = new Ledger($endpoint === 'all' ? $counts : array_intersect_key($counts, [$endpoint => true]));
            $module = $this->tools->module;
            $plain = $plain->application();
            $contender = fn (string $name, Content $content): Contender =>
                $this->contender($name, $content, $page, $ledger);

            return new Speed("endpoint-$endpoint", $title, $this->load(), [
                $contender(self::WORKER, Realms::worker($module, $plain, self::AT_ONCE, self::AT_ONCE)),
                $contender(self::CLASSIC, Realms::classic($module, $plain, self::AT_ONCE)),
                $contender(self::FPM_PERSISTENT, new Fpm($this->tools, $persistent->application(), self::AT_ONCE)),
                ...($this->choices->full ? [$contender(self::FPM, new Fpm($this->tools, $plain, self::AT_ONCE))] : []),
                ...self::contenders($this->laravelPeers($persistent->application(), self::AT_ONCE), $page, $ledger),
            ], [
                Goal::atLeast(2, 'worker mode / classic mode', Metric::Rate, self::WORKER, self::CLASSIC),
                Goal::atLeast(2, 'worker mode / ' . self::FPM_PERSISTENT, Metric::Rate, self::WORKER, self::FPM_PERSISTENT),
            ]);
        };

        return new OnDatabase("endpoint-$endpoint", $title, "$this->root/examples/laravel", $suite, $redis);
    }
}
