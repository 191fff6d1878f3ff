<?php

declare(strict_types=1);

namespace Howdah\Bench;

use Howdah\Bench\Data\Ledger;
use Howdah\Bench\Data\Postgres;
use Howdah\Bench\Data\Project;
use Howdah\Bench\Data\Redis;
use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Machine\Tools;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Server\Apache;
use Howdah\Bench\Server\Application;
use Howdah\Bench\Server\Content;
use Howdah\Bench\Server\FixedText;
use Howdah\Bench\Server\Fpm;
use Howdah\Bench\Server\NginxServer;
use Howdah\Bench\Server\Realms;
use Howdah\Bench\Server\Swoole;
use Howdah\Bench\Suite\Births;
use Howdah\Bench\Suite\Flat;
use Howdah\Bench\Suite\HookCost;
use Howdah\Bench\Suite\Memory;
use Howdah\Bench\Suite\Newborn;
use Howdah\Bench\Suite\OnDatabase;
use Howdah\Bench\Suite\Parked;
use Howdah\Bench\Suite\Settings;
use Howdah\Bench\Suite\Speed;
use Howdah\Bench\Suite\Spin;
use Howdah\Bench\Suite\Suite;
use Howdah\Bench\Suite\SwitchCost;

/** The field: every suite with its contenders, loads and goals. One worker of Howdah meets one child of php-fpm. */
final readonly class Suites
{
    private const NGINX = 'nginx, return 200';
    private const WORKER = 'Howdah, worker mode';
    private const CLASSIC = 'Howdah, classic mode';
    private const FPM = 'nginx + php-fpm';
    private const FPM_PERSISTENT = 'nginx + php-fpm, persistent connections';
    private const APACHE_FPM = 'Apache + php-fpm';
    private const SWOOLE_BASE = 'Swoole, BASE';
    private const SWOOLE_PROCESS = 'Swoole, PROCESS';

    private const CONNECTIONS = 64;
    private const WAIT_SECONDS = 0.010;

    /** Requests that are answered at the same time where memory is compared: realms here, children there. */
    private const AT_ONCE = 8;

    /** Connections, and so processes. */
    private const MOD_PHP_MOST = 100;

    private Application $hello;
    private Application $wait;
    private Application $spin;
    private Application $small;
    private Application $cycles;
    private Application $laravel;
    private Application $psr15;
    private Application $symfony;

    public function __construct(private Tools $tools, private string $root)
    {
        $own = "$root/bench/app";
        $this->hello = new Application($own, "$own/hello.php", "$own/hello-worker.php");
        $this->wait = new Application($own, "$own/wait.php", "$own/wait-worker.php");
        $this->spin = new Application($own, "$own/spin.php", "$own/spin-worker.php");
        $this->small = new Application($own, "$own/small.php", "$own/small-worker.php");
        $this->cycles = new Application($own, "$own/hello.php", "$own/cycles-worker.php");
        $this->laravel = $this->example('laravel');
        $this->psr15 = $this->example('psr15');
        $this->symfony = $this->example('symfony');
    }

    /** @return list<Suite> in the order in which they run */
    public function all(): array
    {
        return [
            $this->hello(),
            $this->laravel(),
            $this->ping(100),
            $this->ping(1000),
            $this->symfonyPage(10),
            $this->symfonyPage(100),
            $this->tenQueries(self::CONNECTIONS),
            $this->endpoint('database'),
            $this->endpoint('cache'),
            $this->endpoint('session'),
            $this->endpoint('all'),
            $this->wait(200, 256, true),
            $this->wait(1000, 512, false),
            $this->spin(),
            $this->hookCost(),
            $this->switchCost(),
            $this->births(),
            $this->parked(2000, 15),
            $this->memory('memory-hello', 'a script that waits 10 ms', $this->wait, $this->greeting()),
            $this->memory('memory-laravel', 'a Laravel page that waits 10 ms', $this->laravel, $this->laravelWait()),
            $this->flat(),
        ];
    }

    /** @return list<string> the examples that suites serve; each has a bin/setup */
    public function projects(): array
    {
        return array_map(fn (string $name) => "$this->root/examples/$name", ['laravel', 'psr15', 'symfony']);
    }

    /** What is compared runs with the same settings: asked before anything is measured. */
    public function settings(): Settings
    {
        $own = "$this->root/bench/app";
        $application = new Application($own, "$own/settings.php", "$own/settings.php");
        $page = Page::matching('/', '/^\{"version":/');

        return new Settings(
            $this->contender(self::CLASSIC, Realms::classic($this->tools->module, $application), $page),
            $this->contender(self::FPM, new Fpm($this->tools, $application, 1), $page),
        );
    }

    private function hello(): Suite
    {
        $page = $this->greeting();

        return new Speed('hello', 'one line of text, ' . self::CONNECTIONS . ' connections', $this->load(), [
            $this->contender(self::NGINX, new FixedText(), $page),
            $this->contender(self::WORKER, Realms::worker($this->tools->module, $this->hello), $page),
            $this->contender(self::CLASSIC, Realms::classic($this->tools->module, $this->hello), $page),
            $this->contender(self::FPM, new Fpm($this->tools, $this->hello, 1), $page),
        ], [
            Goal::atLeast(0.6, "worker mode / nginx's own answer", Metric::Rate, self::WORKER, self::NGINX),
            Goal::atLeast(3, 'worker mode / php-fpm', Metric::Rate, self::WORKER, self::FPM),
            Goal::atLeast(2, 'classic mode / php-fpm', Metric::Rate, self::CLASSIC, self::FPM),
        ]);
    }

    private function laravel(): Suite
    {
        $page = Page::saying('/api/hello', '{"message":"Hello"}');

        return new Speed('laravel', "Laravel's JSON hello, " . self::CONNECTIONS . ' connections', $this->load(), [
            $this->contender(self::WORKER, Realms::worker($this->tools->module, $this->laravel), $page),
            $this->contender(self::CLASSIC, Realms::classic($this->tools->module, $this->laravel), $page),
            $this->contender(self::FPM, new Fpm($this->tools, $this->laravel, 1), $page),
        ], [
            Goal::atLeast(2, 'worker mode / php-fpm', Metric::Rate, self::WORKER, self::FPM),
            Goal::atLeast(2, 'worker mode / php-fpm, for each second of a core', Metric::PerCore, self::WORKER, self::FPM),
        ]);
    }

    /** A PSR-15 handler that answers with JSON: what lies between a request and its handler. */
    private function ping(int $connections): Suite
    {
        $page = Page::matching('/ping', '/^\{"ack":\d{10}\}$/D', true);
        $goals = [
            Goal::atLeast(1, 'worker mode / Swoole, BASE', Metric::Rate, self::WORKER, self::SWOOLE_BASE),
            Goal::atLeast(3, 'worker mode / php-fpm', Metric::Rate, self::WORKER, self::FPM),
            Goal::belowTimes(3, 'worker mode: p99 / p50', Metric::Slowest, Metric::Median, self::WORKER),
        ];
        $title = "a PSR-15 handler's JSON, $connections connections";

        return $this->field("ping-$connections", $title, $connections, $this->psr15, 'ping', $page, $goals);
    }

    /** A page of a blog: five reads of rows, three of sums and lists, an insert and an update. */
    private function tenQueries(int $connections): Suite
    {
        $name = 'laravel-10q';
        $title = "Laravel, ten queries on PostgreSQL, $connections connections";

        return new OnDatabase(
            $name,
            $title,
            "$this->root/examples/laravel",
            function (Project $plain, Project $persistent, Postgres $postgres) use ($name, $title, $connections): Suite {
                $totals = '\{"posts":1000,"views":"?\d+"?,"most":\d+\}';
                $page = Page::matching('/bench', '/^\{"user":"Rider \d+","posts":\[.+\],"totals":' . $totals . ',.+\]\}$/D');
                $ledger = new Ledger([
                    'rows inserted' => fn (): int => $postgres->number('SELECT count(*) FROM post_views'),
                    'rows updated' => fn (): int => $postgres->number('SELECT sum(views_count) FROM posts'),
                ]);
                $module = $this->tools->module;
                $persistently = self::FPM_PERSISTENT;
                $servers = [
                    self::WORKER => Realms::worker($module, $plain->application(), self::AT_ONCE, self::AT_ONCE),
                    self::CLASSIC => Realms::classic($module, $plain->application(), self::AT_ONCE),
                    self::FPM => new Fpm($this->tools, $plain->application(), self::AT_ONCE),
                    $persistently => new Fpm($this->tools, $persistent->application(), self::AT_ONCE),
                ];
                $contender = fn (string $name, Content $content): Contender =>
                    new Contender($name, new NginxServer($this->tools->nginx, $content), $page, $ledger);

                return new Speed(
                    $name,
                    $title,
                    new Load($this->tools->wrk, $connections),
                    array_map($contender, array_keys($servers), $servers),
                    [
                        Goal::atLeast(1.3, "worker mode / $persistently", Metric::Rate, self::WORKER, $persistently),
                        Goal::atLeast(1.3, 'worker mode / php-fpm', Metric::Rate, self::WORKER, self::FPM),
                    ],
                );
            },
        );
    }

    /** The table that CodeIgniter users know: what classic mode and worker mode make of the same pages. */
    private function endpoint(string $endpoint): Suite
    {
        $redis = new Redis();
        $text = [
            'database' => '"database":"[^"]+, \d+"',
            'cache' => '"cache":"(?:text ){20}"',
            'session' => '"session":1',
        ];
        $json = $endpoint === 'all' ? implode(',', $text) : $text[$endpoint];
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
            $ledger = new Ledger($endpoint === 'all' ? $counts : [$endpoint => $counts[$endpoint]]);
            $module = $this->tools->module;
            $plain = $plain->application();
            $contender = fn (string $name, Content $content): Contender =>
                new Contender($name, new NginxServer($this->tools->nginx, $content), $page, $ledger);

            return new Speed("endpoint-$endpoint", $title, $this->load(), [
                $contender(self::WORKER, Realms::worker($module, $plain, self::AT_ONCE, self::AT_ONCE)),
                $contender(self::CLASSIC, Realms::classic($module, $plain, self::AT_ONCE)),
                $contender(self::FPM, new Fpm($this->tools, $plain, self::AT_ONCE)),
                $contender(self::FPM_PERSISTENT, new Fpm($this->tools, $persistent->application(), self::AT_ONCE)),
            ], [
                Goal::atLeast(2, 'worker mode / classic mode', Metric::Rate, self::WORKER, self::CLASSIC),
                Goal::atLeast(2, 'worker mode / php-fpm', Metric::Rate, self::WORKER, self::FPM),
            ]);
        };

        return new OnDatabase("endpoint-$endpoint", $title, "$this->root/examples/laravel", $suite, $redis);
    }

    private function symfonyPage(int $connections): Suite
    {
        $items = '(?:  <li><a href="/api/hello">Article &lt;\d+&gt;</a>: \d+\.\d\d(?:, sold out)?</li>\n){20}';
        $page = Page::matching('/page', "~<h1>Articles &amp; more</h1>\n<ul>\n$items</ul>\n~", true);

        return $this->field(
            "symfony-page-$connections",
            "a Symfony controller and a Twig page, $connections connections",
            $connections,
            $this->symfony,
            'symfony',
            $page,
            [
                Goal::atLeast(1, 'worker mode / Swoole, BASE', Metric::Rate, self::WORKER, self::SWOOLE_BASE),
                Goal::atLeast(2, 'worker mode / php-fpm', Metric::Rate, self::WORKER, self::FPM),
            ],
        );
    }

    /**
     * One worker of everybody.
     *
     * @param string     $swoole the name of the application's script for it
     * @param list<Goal> $goals
     */
    private function field(
        string $name,
        string $title,
        int $connections,
        Application $application,
        string $swoole,
        Page $page,
        array $goals,
    ): Suite {
        $script = "$this->root/bench/app/swoole/$swoole.php";
        $contenders = [
            $this->contender(self::WORKER, Realms::worker($this->tools->module, $application), $page),
            $this->contender(self::CLASSIC, Realms::classic($this->tools->module, $application), $page),
            $this->contender(self::FPM, new Fpm($this->tools, $application, 1), $page),
            new Contender(self::APACHE_FPM, Apache::fpm($this->tools, $application, 1), $page),
            new Contender(self::SWOOLE_BASE, Swoole::base($this->tools, $script), $page),
            new Contender(self::SWOOLE_PROCESS, Swoole::process($this->tools, $script), $page),
        ];
        // A process for each connection (Server\Apache): with a thousand it would be the machine that is measured.
        if ($connections <= self::MOD_PHP_MOST) {
            $apache = Apache::modPhp($this->tools, $application, $connections + 1);
            $contenders[] = new Contender("Apache mod_php, $connections processes", $apache, $page);
        }

        return new Speed($name, $title, new Load($this->tools->wrk, $connections), $contenders, $goals);
    }

    /**
     * With few connections what counts is that a wait is no longer than it has to be, with many what it costs. With more
     * connections than realms the rest is queued: each realm that has finished takes the next one, its memory in the caches.
     */
    private function wait(int $connections, int $most, bool $few): Suite
    {
        $page = $this->greeting();
        $realms = self::WORKER . ", $most realms";
        $hello = self::WORKER . ', no wait';
        $fpm = self::FPM . ', 64 children';
        $contenders = [$this->contender($realms, Realms::worker($this->tools->module, $this->wait, $most), $page)];
        if (!$few) {
            $contenders[] = $this->contender($hello, Realms::worker($this->tools->module, $this->hello), $page);
        }
        $contenders[] = $this->contender($fpm, new Fpm($this->tools, $this->wait, 64), $page);
        $ideal = $connections / self::WAIT_SECONDS;

        return new Speed(
            "wait-$connections",
            "a wait of 10 ms, $connections connections",
            new Load($this->tools->wrk, $connections),
            $contenders,
            [
                $few
                    ? Goal::atLeastOf(0.9, 'worker mode / ideal (connections / 10 ms)', Metric::Rate, $realms, $ideal)
                    : Goal::atLeast(0.5, 'worker mode / the same without the wait', Metric::Rate, $realms, $hello),
                Goal::atLeast(1, 'worker mode / php-fpm with 64 children', Metric::Rate, $realms, $fpm),
            ],
        );
    }

    private function spin(): Suite
    {
        $page = $this->greeting();
        $title = 'one request computes all the time, the others do not, ' . self::CONNECTIONS . ' connections';

        return new Spin('spin', $title, $this->load(), [
            $this->contender(self::WORKER, Realms::worker($this->tools->module, $this->spin), $page),
            $this->contender(self::CLASSIC, Realms::classic($this->tools->module, $this->spin), $page),
        ], [
            Goal::below(60, 'worker mode: p99 of the others, ms', Metric::Slowest, self::WORKER),
            Goal::below(60, 'classic mode: p99 of the others, ms', Metric::Slowest, self::CLASSIC),
        ]);
    }

    private function hookCost(): Suite
    {
        return new HookCost('hook-cost', "$this->root/bench/hook-cost/run");
    }

    private function switchCost(): Suite
    {
        return new SwitchCost('switch-cost', "$this->root/build/switch-cost");
    }

    private function births(): Suite
    {
        return new Births('births', 'what one more realm costs', $this->tools->runner, [
            new Newborn('empty realm', [$this->hello->front], ["--expect=Hello, World!\n"]),
            new Newborn(
                'booted Laravel realm',
                ['--mode=worker', $this->laravel->worker],
                ['--path=/api/hello', '--expect={"message":"Hello"}'],
            ),
        ], [
            Goal::below(0.5, 'birth of an empty realm, ms', Metric::BirthTime, 'empty realm'),
            Goal::below(250, 'birth of an empty realm, KB', Metric::BirthMemory, 'empty realm'),
            Goal::below(5, 'birth of a booted Laravel realm, ms', Metric::BirthTime, 'booted Laravel realm'),
            Goal::below(2000, 'birth of a booted Laravel realm, KB', Metric::BirthMemory, 'booted Laravel realm'),
        ]);
    }

    private function parked(int $requests, int $seconds): Suite
    {
        $pattern = '~^<ul>\n<li>Article 200 250\.00 since 2024-07-19</li>\n.*<p>200 articles</p>$~s';
        $soon = Page::matching('/articles/0', $pattern);
        $late = Page::matching('/articles/' . $seconds * 1000, $pattern);
        $worker = Realms::worker($this->tools->module, $this->small, $requests);
        $classic = Realms::classic($this->tools->module, $this->small, $requests);

        return new Parked(
            "parked-$requests",
            "$requests requests of a small application that wait at once in one worker",
            $requests,
            $late,
            $seconds,
            [$this->contender(self::WORKER, $worker, $soon), $this->contender(self::CLASSIC, $classic, $soon)],
            [
                Goal::below(700, 'worker mode: memory of a request that waits, KB', Metric::ParkedMemory, self::WORKER),
                Goal::below(700, 'classic mode: memory of a request that waits, KB', Metric::ParkedMemory, self::CLASSIC),
            ],
        );
    }

    /** The wait keeps all realms and all children at work: a request that never waits always meets the same realm. */
    private function memory(string $name, string $what, Application $application, Page $page): Suite
    {
        $realms = ', ' . self::AT_ONCE . ' realms';
        $worker = Realms::worker($this->tools->module, $application, self::AT_ONCE, self::AT_ONCE);
        $classic = Realms::classic($this->tools->module, $application, self::AT_ONCE, self::AT_ONCE);
        $fpm = new Fpm($this->tools, $application, self::AT_ONCE);

        $title = "memory of all processes under load: $what, " . self::CONNECTIONS . ' connections';

        return new Memory($name, $title, $this->load(), [
            $this->contender(self::WORKER . $realms, $worker, $page),
            $this->contender(self::CLASSIC . $realms, $classic, $page),
            $this->contender(self::FPM . ', ' . self::AT_ONCE . ' children', $fpm, $page),
        ]);
    }

    private function flat(): Suite
    {
        $page = $this->greeting();
        $cycles = self::WORKER . ', each request leaves a cycle';
        $names = [self::WORKER => 'worker mode', self::CLASSIC => 'classic mode', $cycles => 'worker mode, cycles'];
        $goal = static fn (string $name, string $what): Goal =>
            Goal::below(5, "$what: growth of resident memory, %", Metric::Growth, $name);

        return new Flat('flat', 'memory stays flat', $this->load(), [
            $this->contender(self::WORKER, Realms::worker($this->tools->module, $this->hello), $page),
            $this->contender(self::CLASSIC, Realms::classic($this->tools->module, $this->hello), $page),
            $this->contender($cycles, Realms::worker($this->tools->module, $this->cycles), $page),
        ], array_map($goal, array_keys($names), $names));
    }

    private function example(string $name): Application
    {
        $public = "$this->root/examples/$name/public";

        return new Application($public, "$public/index.php", "$public/frankenphp-worker.php");
    }

    private function contender(string $name, Content $content, Page $page): Contender
    {
        return new Contender($name, new NginxServer($this->tools->nginx, $content), $page);
    }

    private function load(): Load
    {
        return new Load($this->tools->wrk, self::CONNECTIONS);
    }

    private function greeting(): Page
    {
        return Page::saying('/', "Hello, World!\n");
    }

    private function laravelWait(): Page
    {
        return Page::matching('/sleep/10', '/^\{"asked_ms":10,"took_ms":\d/');
    }
}
