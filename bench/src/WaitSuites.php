<?php

declare(strict_types=1);

namespace Howdah\Bench;

use Howdah\Bench\Data\Postgres;
use Howdah\Bench\Data\Redis;
use Howdah\Bench\Data\SlowService;
use Howdah\Bench\Data\Store;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Server\Fpm;
use Howdah\Bench\Server\FrankenPhp;
use Howdah\Bench\Server\Realms;
use Howdah\Bench\Suite\OnStore;
use Howdah\Bench\Suite\Speed;
use Howdah\Bench\Suite\Suite;

/** Requests that wait, on different things, for long or not, a few of them and thousands; and few that compute among many that do not. */
final readonly class WaitSuites extends SuiteKit
{
    private const CHILDREN = 64;
    private const SWOOLE = self::SWOOLE_BASE . ', a coroutine for each request';

    /** As many as a PostgreSQL is usually given. */
    private const ON_STORE = 100;

    /** About half a second of an EPYC's core, in PHP 8.2 without JIT. */
    private const ROUNDS = 30_000_000;

    /** net.core.somaxconn (5.4 and later), which bounds listen.backlog. */
    private const FPM_QUEUE = 4096;

    /** @return list<Suite> */
    public function all(): array
    {
        $suites = [$this->sleeping(200, 10, 256), $this->costly()];
        if ($this->choices->full) {
            $suites = [
                $this->sleeping(10, 10, 16),
                ...$suites,
                $this->sleeping(1000, 100, 1024),
                $this->sleeping(5000, 100, 4096),
                $this->on('redis', new Redis()),
                $this->on('http', new SlowService("$this->root/bench/app/slow-http.php")),
            ];
        }

        return [
            ...$suites,
            $this->on('postgres', new Postgres()),
            $this->mixed(),
        ];
    }

    /** With few connections what counts is that a wait is no longer than it has to be. */
    private function sleeping(int $connections, int $ms, int $most): Suite
    {
        $name = $ms === 10 ? "wait-$connections" : "wait-{$ms}ms-$connections";
        $ideal = $connections / $ms * 1000;
        // What no worker could do is no bound for it.
        $goals = $connections <= 1000
            ? [$this->share(0.9, "connections / $ms ms", $most, $ideal)]
            : [];

        $query = $ms === 10 ? '' : "ms=$ms";
        $title = "a wait of $ms ms, $connections connections";
        $times = $name === 'wait-200' ? 2.8 : null;

        return $this->beside($name, $title, $connections, $most, $query, $goals, times: $times);
    }

    /**
     * With many what counts is what a wait costs. With more connections than realms the rest is queued: each realm that has
     * finished takes the next one, its memory in the caches. Half of hello is what "Waiting" asked for, 0.6 what the bench did.
     */
    private function costly(): Suite
    {
        $most = 512;
        $hello = self::WORKER . ', no wait';

        return $this->beside('wait-1000', 'a wait of 10 ms, 1000 connections', 1000, $most, '', [
            Goal::atLeast(0.6, 'worker mode / the same without the wait', Metric::Rate, $this->realms($most), $hello),
            Goal::atLeast(1, 'worker mode / Swoole with coroutines', Metric::Rate, $this->realms($most), self::SWOOLE),
        ], $hello, 7);
    }

    private function on(string $what, Store $store): Suite
    {
        $connections = self::ON_STORE;
        $name = "wait-$what-$connections";
        $title = "10 ms of $what, $connections connections";
        $ideal = $connections / 0.010;

        return new OnStore($name, $title, $store, fn (): Suite => $this->beside(
            $name,
            $title,
            $connections,
            $connections,
            "ms=10&on=$what&at=" . rawurlencode($store->address()),
            [$this->share(0.5, 'connections / 10 ms', $connections, $ideal)],
        ));
    }

    /**
     * @param string     $query what requests wait for; '': 10 ms, by a script that does nothing else
     * @param list<Goal> $goals beside the one about php-fpm
     * @param float|null $times FrankenPHP's rate that shall be reached
     */
    private function beside(
        string $name,
        string $title,
        int $connections,
        int $most,
        string $query,
        array $goals,
        ?string $hello = null,
        ?float $times = null,
    ): Suite {
        $page = Page::saying($query === '' ? '/' : "/?$query", "Hello, World!\n");
        $application = $this->own($query === '' ? 'wait' : 'waits');
        $realms = $this->realms($most);
        $fpm = self::FPM . ', ' . self::CHILDREN . ' children';
        $contenders = [$this->contender($realms, Realms::worker($this->tools->module, $application, $most), $page)];
        if ($hello !== null) {
            $realm = Realms::worker($this->tools->module, $this->own('hello'));
            $contenders[] = $this->contender($hello, $realm, $this->greeting());
        }
        $contenders[] = $this->contender($fpm, new Fpm($this->tools, $application, self::CHILDREN), $page);
        if ($query === '') {
            $contenders[] = $this->swoole(self::SWOOLE, 'wait', $page);
        }
        // As Go has it on one processor, if nobody says otherwise.
        $threads = self::threads($most);
        $limited = FrankenPhp::worker($this->tools, $application, min($most, self::MOST_THREADS))->limited(1);
        $peers = [...$this->asManyAs($most, $application), "$threads, GOMAXPROCS=1" => $limited];
        array_push($contenders, ...self::contenders($peers, $page));
        if ($times !== null) {
            $goals[] = self::times($times, $realms, $threads, 'worker mode');
        }
        $text = 'worker mode / php-fpm with ' . self::CHILDREN . ' children';
        $goals[] = Goal::atLeast(1, $text, Metric::Rate, $realms, $fpm);

        // More cannot wait for php-fpm than its socket's queue holds: there errors are what is compared.
        $load = new Load($this->tools->wrk, $connections, tolerant: $connections > self::FPM_QUEUE);

        return new Speed($name, $title, $load, $contenders, $goals);
    }

    private function share(float $bound, string $what, int $most, float $ideal): Goal
    {
        return Goal::atLeastOf($bound, "worker mode / ideal ($what)", Metric::Rate, $this->realms($most), $ideal);
    }

    /** Computing takes all cores there: as many workers as this kind of machine has. */
    private function mixed(): Suite
    {
        $page = Page::saying('/?rounds=' . self::ROUNDS, "Hello, World!\n");
        $application = $this->own('mixed');
        $children = 8;
        $workers = 2;
        $worker = Realms::worker($this->tools->module, $application, self::CONNECTIONS);
        $classic = Realms::classic($this->tools->module, $application, self::CONNECTIONS);
        $fpm = self::FPM . ", $children children";
        $title = 'one request in a hundred computes for half a second, 2 workers, ' . self::CONNECTIONS . ' connections';

        return new Speed('mixed', $title, $this->load(), [
            $this->contender(self::WORKER, $worker, $page, workers: $workers),
            $this->contender(self::CLASSIC, $classic, $page, workers: $workers),
            $this->contender($fpm, new Fpm($this->tools, $application, $children), $page, workers: $workers),
            ...self::contenders($this->asManyAs($workers * self::CONNECTIONS, $application), $page, processors: $workers),
        ], [
            Goal::atLeast(1, 'worker mode / php-fpm', Metric::Rate, self::WORKER, $fpm),
            Goal::atLeast(1, 'php-fpm / worker mode: p50', Metric::Median, $fpm, self::WORKER),
        ]);
    }

    private function realms(int $most): string
    {
        return self::WORKER . ", $most realms";
    }
}
