<?php

declare(strict_types=1);

namespace Howdah\Bench;

use Howdah\Bench\Data\Ledger;
use Howdah\Bench\Data\Redis;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Server\Application;
use Howdah\Bench\Server\Content;
use Howdah\Bench\Server\Fpm;
use Howdah\Bench\Server\Realms;
use Howdah\Bench\Suite\OnCodeIgniter;
use Howdah\Bench\Suite\Speed;
use Howdah\Bench\Suite\Suite;

/**
 * CodeIgniter's five endpoints at 100 and 200 connections, as published with its worker mode
 * (github.com/michalsn/benchmark-codeigniter-frankenphp): 16 threads of FrankenPHP there, and as many realms and children here.
 */
final readonly class CodeIgniterSuites extends SuiteKit
{
    private const ENDPOINTS = ['static', 'database', 'cache', 'session', 'all'];
    private const AT_ONCE_PUBLISHED = 16;

    /** Answers a second of the slowest, for each connection to have its turn: 30 s are published, 4 and 8 s are the least here. */
    private const TURNS = 25;

    /** @return list<Suite> */
    public function all(): array
    {
        $suites = [];
        foreach (self::ENDPOINTS as $endpoint) {
            foreach ([100, 200] as $connections) {
                $suites[] = $this->endpoint($endpoint, $connections);
            }
        }

        return $suites;
    }

    private function endpoint(string $endpoint, int $connections): Suite
    {
        $name = "codeigniter-$endpoint-$connections";
        $title = "CodeIgniter, $endpoint (PostgreSQL, Redis), $connections connections";
        $page = self::page($endpoint);
        $suite = function (Application $project, Redis $redis) use ($name, $title, $endpoint, $connections, $page): Suite {
            $remembers = in_array($endpoint, ['session', 'all'], true);
            $ledger = $remembers ? new Ledger(['session' => $redis->sessions(...)]) : null;
            $module = $this->tools->module;
            $some = self::AT_ONCE_PUBLISHED;
            $contender = fn (string $name, Content $content) => $this->contender($name, $content, $page, $ledger);

            return new Speed($name, $title, new Load($this->tools->wrk, $connections, turns: self::TURNS), [
                $contender(self::WORKER, Realms::worker($module, $project, $some, $some)),
                $contender(self::CLASSIC, Realms::classic($module, $project, $some)),
                $contender(self::FPM, new Fpm($this->tools, $project, $some)),
                ...self::contenders($this->peers($project, $some), $page, $ledger),
            ], [
                Goal::atLeast(2, 'worker mode / classic mode', Metric::Rate, self::WORKER, self::CLASSIC),
                Goal::atLeast(2, 'worker mode / php-fpm', Metric::Rate, self::WORKER, self::FPM),
                Goal::atLeast(1.1, 'worker mode / FrankenPHP', Metric::Rate, self::WORKER, self::FRANKENPHP_WORKER),
            ]);
        };

        return new OnCodeIgniter($name, $title, "$this->root/bench/app/codeigniter", $suite);
    }

    /** What app/codeigniter/Bench.php has to answer; `static` is the page that every new project has. */
    private static function page(string $endpoint): Page
    {
        if ($endpoint === 'static') {
            return Page::matching('/', '~<h1>Welcome to CodeIgniter 4\.\d+\.\d+\S*</h1>.*</html>\s*$~sD');
        }
        $list = static fn (string $name, string $item, int $times): string =>
            "<h1>$name</h1>\n<ul>\n(?:<li>$item</li>\n){{$times}}</ul>\n";
        $parts = [
            'database' => $list('categories', 'Category &lt;\d+&gt;', 35) . $list('threads', 'Thread \d+', 10)
                . $list('posts', '(?:word ){20}\d{4}', 20),
            'cache' => $list('cache', 'kept for a moment', 1),
            'session' => $list('session', 'kept for a moment', 1),
        ];
        $body = $endpoint === 'all' ? implode($parts) : $parts[$endpoint];

        return Page::matching("/bench/$endpoint", "~^$body$~D");
    }
}
