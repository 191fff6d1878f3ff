<?php

declare(strict_types=1);

namespace Howdah\Bench;

use Howdah\Bench\Data\Ledger;
use Howdah\Bench\Data\Postgres;
use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Machine\Tools;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Server\Apache;
use Howdah\Bench\Rules\Rules;
use Howdah\Bench\Server\Application;
use Howdah\Bench\Server\Content;
use Howdah\Bench\Server\FrankenPhp;
use Howdah\Bench\Server\NginxServer;
use Howdah\Bench\Server\Octane;
use Howdah\Bench\Server\RoadRunner;
use Howdah\Bench\Server\Running;
use Howdah\Bench\Server\Swoole;
use Howdah\Bench\Server\Unit;

/** What tables of suites are made with: the names that they share, and how a contender is put together. */
abstract readonly class SuiteKit
{
    protected const NGINX = 'nginx, return 200';
    protected const WORKER = 'Howdah, worker mode';
    protected const REWOUND = 'Howdah, worker mode, rewind';
    protected const CLASSIC = 'Howdah, classic mode';
    protected const CLASSIC_PERSISTENT = 'Howdah, classic mode, persistent connections';
    protected const FPM = 'nginx + php-fpm';
    protected const FPM_PERSISTENT = 'nginx + php-fpm, persistent connections';
    protected const APACHE_FPM = 'Apache + php-fpm';
    protected const SWOOLE_BASE = 'Swoole, BASE';
    protected const SWOOLE_PROCESS = 'Swoole, PROCESS';
    protected const FRANKENPHP_WORKER = 'FrankenPHP, worker mode';
    protected const FRANKENPHP_CLASSIC = 'FrankenPHP, classic mode';
    protected const ROADRUNNER = 'RoadRunner';
    protected const UNIT = 'NGINX Unit';
    protected const OCTANE_SWOOLE = 'Octane on Swoole';
    protected const OCTANE_ROADRUNNER = 'Octane on RoadRunner';
    protected const OCTANE_FRANKENPHP = 'Octane on FrankenPHP';

    protected const CONNECTIONS = 64;

    /** Of FrankenPHP: as many as there are realms, and no more than this. */
    protected const MOST_THREADS = 512;

    /** Of RoadRunner: the same. */
    protected const MOST_PROCESSES = 64;

    /** Requests that are answered at the same time where memory is compared: realms here, children there. */
    protected const AT_ONCE = 8;

    public function __construct(
        protected Tools $tools,
        protected string $root,
        protected Choices $choices = new Choices(),
    ) {
    }

    /** What an application pays that leaves nothing behind. */
    protected static function rewinds(float $least, Metric $metric = Metric::Rate): Goal
    {
        return Goal::atLeast($least, 'worker mode, with rewind / without', $metric, self::REWOUND, self::WORKER);
    }

    protected function example(string $name): Application
    {
        $public = "$this->root/examples/$name/public";

        return new Application($public, "$public/index.php", "$public/frankenphp-worker.php");
    }

    /** A script of bench/app for both modes; $worker: another one's loop around it. */
    protected function own(string $name, ?string $worker = null): Application
    {
        $own = "$this->root/bench/app";

        return new Application($own, "$own/$name.php", "$own/" . ($worker ?? $name) . '-worker.php');
    }

    /** @param string|null $http2 a Unix socket's path, for HTTP/2 without TLS beside HTTP/1 */
    protected function contender(
        string $name,
        Content $content,
        Page $page,
        ?Ledger $ledger = null,
        ?string $http2 = null,
        int $workers = 1,
        ?Rules $rules = null,
    ): Contender {
        $server = new NginxServer($this->tools, $content, $workers, $http2);

        return new Contender($name, $server, $page, $ledger, $rules);
    }

    /** @param string $script of bench/app/swoole */
    protected function swoole(string $name, string $script, Page $page): Contender
    {
        return new Contender($name, Swoole::base($this->tools, $this->swooleScript($script)), $page);
    }

    protected function swooleScript(string $name): string
    {
        return "$this->root/bench/app/swoole/$name.php";
    }

    /**
     * Those that have to be installed by hand; who is not there is skipped by name and reason.
     *
     * @param int $workers threads or processes; each answers one request at a time
     *
     * @return array<string, Running> by name
     */
    protected function peers(Application $application, int $workers = 1): array
    {
        return [
            self::FRANKENPHP_WORKER => FrankenPhp::worker($this->tools, $application, $workers),
            self::FRANKENPHP_CLASSIC => FrankenPhp::classic($this->tools, $application, $workers),
            self::UNIT => new Unit($this->tools, $application, $workers),
        ];
    }

    /** @param string $example whose packages of RoadRunner run one of our own worker scripts */
    protected function roadRunner(Application $application, int $processes, string $example = 'psr15'): RoadRunner
    {
        $project = "$this->root/examples/$example";
        $script = "$this->root/bench/app/roadrunner/worker.php";

        return new RoadRunner($this->tools, $script, $project, $processes, [$project, $application->worker]);
    }

    /**
     * FrankenPHP and RoadRunner, with as many threads and processes as there are realms.
     *
     * @param RoadRunner|Octane|null $roadRunner where the application is none of our own scripts
     *
     * @return array<string, Running> by name
     */
    protected function asManyAs(int $realms, Application $application, RoadRunner|Octane|null $roadRunner = null): array
    {
        $processes = self::processes($realms);

        return [
            self::threads($realms) => FrankenPhp::worker($this->tools, $application, min($realms, self::MOST_THREADS)),
            self::ROADRUNNER . ", $processes processes" => $roadRunner ?? $this->roadRunner($application, $processes),
        ];
    }

    /** The name of FrankenPHP with as many threads. */
    protected static function threads(int $realms): string
    {
        return self::FRANKENPHP_WORKER . ', ' . min($realms, self::MOST_THREADS) . ' threads';
    }

    /** A line's name, where it has fewer processes than others at the last places. */
    protected static function atMost(string $name): string
    {
        return "$name, up to " . self::MOST_PROCESSES . ' processes';
    }

    /** How many of them RoadRunner has, each of which is a whole PHP. */
    protected static function processes(int $realms): int
    {
        return min($realms, self::MOST_PROCESSES);
    }

    /**
     * As peers(), and Laravel's own.
     *
     * @return array<string, Running> by name
     */
    protected function laravelPeers(Application $application, int $workers = 1): array
    {
        $script = "$this->root/bench/app/octane/frankenphp-worker.php";

        return [
            ...$this->peers($application, $workers),
            self::OCTANE_SWOOLE => Octane::onSwoole($this->tools, $application, $workers),
            self::OCTANE_ROADRUNNER => Octane::onRoadRunner($this->tools, $application, $workers),
            self::OCTANE_FRANKENPHP => Octane::onFrankenPhp($this->tools, $application, $script, $workers),
        ];
    }

    /** @param Metric $metric of which more is better */
    protected static function times(
        float $bound,
        string $ours,
        string $theirs,
        string $words,
        Metric $metric = Metric::Rate,
    ): Goal {
        return Goal::atLeast($bound, "$words / $theirs", $metric, $ours, $theirs);
    }

    /**
     * @param array<string, Running> $servers by name
     *
     * @return list<Contender>
     */
    protected static function contenders(
        array $servers,
        Page $page,
        ?Ledger $ledger = null,
        int $processors = 1,
        ?Rules $rules = null,
    ): array {
        $contender = static fn (string $name, Running $server): Contender =>
            new Contender($name, $server->on($processors), $page, $ledger, $rules);

        return array_map($contender, array_keys($servers), $servers);
    }

    protected function greeting(): Page
    {
        return Page::saying('/', "Hello, World!\n");
    }

    /** A controller of Symfony's example, and a template of Twig. */
    protected function symfonyPage(): Page
    {
        $items = '(?:  <li><a href="/api/hello">Article &lt;\d+&gt;</a>: \d+\.\d\d(?:, sold out)?</li>\n){20}';

        return Page::matching('/page', "~<h1>Articles &amp; more</h1>\n<ul>\n$items</ul>\n~", true);
    }

    /** A page of a blog: five reads of rows, three of sums and lists, an insert and an update. */
    protected function blogPage(): Page
    {
        $totals = '\{"posts":1000,"views":"?\d+"?,"most":\d+\}';

        return Page::matching('/bench', '/^\{"user":"Rider \d+","posts":\[.+\],"totals":' . $totals . ',.+\]\}$/D');
    }

    /** What the page writes. */
    protected function blogLedger(Postgres $postgres): Ledger
    {
        return new Ledger([
            'rows inserted' => fn (): int => $postgres->number('SELECT count(*) FROM post_views'),
            'rows updated' => fn (): int => $postgres->number('SELECT sum(views_count) FROM posts'),
        ]);
    }

    protected function load(): Load
    {
        return new Load($this->tools->wrk, self::CONNECTIONS);
    }
}
