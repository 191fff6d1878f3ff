<?php

declare(strict_types=1);

namespace Howdah\Bench;

use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Server\Apache;
use Howdah\Bench\Server\Application;
use Howdah\Bench\Server\Fpm;
use Howdah\Bench\Server\Realms;
use Howdah\Bench\Server\RoadRunner;
use Howdah\Bench\Server\Running;
use Howdah\Bench\Server\Swoole;
use Howdah\Bench\Suite\Speed;
use Howdah\Bench\Suite\Suite;

/** The tables that the field has published, with the servers that are in them: one worker of everybody. */
final readonly class FieldSuites extends SuiteKit
{
    /** @return list<Suite> */
    public function all(): array
    {
        return [
            $this->ping(100),
            $this->ping(1000),
            ...($this->choices->full ? [$this->symfony(10)] : []),
            $this->symfony(100),
            $this->symfony(1000),
        ];
    }

    /** @return list<Suite> what lies between the loads of all(), as published for Mezzio */
    public function named(): array
    {
        return [$this->ping(250), $this->ping(500)];
    }

    /** A PSR-15 handler that answers with JSON: what lies between a request and its handler. */
    private function ping(int $connections): Suite
    {
        $page = Page::matching('/ping', '/^\{"ack":\d{10}\}$/D', true);
        $goals = [
            Goal::atLeast(1, 'worker mode / Swoole, BASE', Metric::Rate, self::WORKER, self::SWOOLE_BASE),
            Goal::atLeast(3, 'worker mode / php-fpm', Metric::Rate, self::WORKER, self::FPM),
            self::times(3, self::WORKER, self::FRANKENPHP_WORKER, 'worker mode'),
            Goal::belowTimes(3, 'worker mode: p99 / p50', Metric::Slowest, Metric::Median, self::WORKER),
        ];
        $title = "a PSR-15 handler's JSON, $connections connections";
        $script = "$this->root/bench/app/roadrunner/ping.php";
        $roadRunner = new RoadRunner($this->tools, $script, "$this->root/examples/psr15", 1);
        $more = [self::ROADRUNNER => $roadRunner];

        return $this->field("ping-$connections", $title, $connections, $this->example('psr15'), 'ping', $page, $goals, $more);
    }

    private function symfony(int $connections): Suite
    {
        return $this->field(
            "symfony-page-$connections",
            "a Symfony controller and a Twig page, $connections connections",
            $connections,
            $this->example('symfony'),
            'symfony',
            $this->symfonyPage(),
            [
                Goal::atLeast(1, 'worker mode / Swoole, BASE', Metric::Rate, self::WORKER, self::SWOOLE_BASE),
                Goal::atLeast(2, 'worker mode / php-fpm', Metric::Rate, self::WORKER, self::FPM),
                self::times(1.7, self::WORKER, self::FRANKENPHP_WORKER, 'worker mode'),
                self::rewinds(0.9),
            ],
        );
    }

    /**
     * One worker of everybody.
     *
     * @param string                 $swoole the name of the application's script for it
     * @param list<Goal>             $goals
     * @param array<string, Running> $more   peers, by name
     */
    private function field(
        string $name,
        string $title,
        int $connections,
        Application $application,
        string $swoole,
        Page $page,
        array $goals,
        array $more = [],
    ): Suite {
        $contenders = [
            $this->contender(self::WORKER, Realms::worker($this->tools->module, $application), $page),
            $this->contender(self::REWOUND, Realms::rewound($this->tools->module, $application), $page),
            $this->contender(self::CLASSIC, Realms::classic($this->tools->module, $application), $page),
            $this->contender(self::FPM, new Fpm($this->tools, $application, 1), $page),
            $this->swoole(self::SWOOLE_BASE, $swoole, $page),
            ...self::contenders([...$this->peers($application), ...$more], $page),
            ...($this->choices->full ? $this->others($connections, $application, $swoole, $page) : []),
        ];

        // With a thousand, errors are what is compared; the published table has them from 500 connections on.
        $many = $connections > Apache::MOST_PROCESSES;
        $goals = $many ? [Goal::below(1, 'worker mode: errors', Metric::Errors, self::WORKER), ...$goals] : $goals;

        return new Speed($name, $title, new Load($this->tools->wrk, $connections, tolerant: $many), $contenders, $goals);
    }

    /**
     * Those of a full run: no goal is about them.
     *
     * @param string $swoole the name of the application's script for it
     *
     * @return list<Contender>
     */
    private function others(int $connections, Application $application, string $swoole, Page $page): array
    {
        $fpm = Apache::fpm($this->tools, $application, 1, $connections + 1);
        $others = [
            new Contender(self::SWOOLE_PROCESS, Swoole::process($this->tools, $this->swooleScript($swoole)), $page),
            new Contender(self::APACHE_FPM, $fpm, $page),
        ];
        if ($connections <= Apache::MOST_PROCESSES) {
            $apache = Apache::modPhp($this->tools, $application, $connections + 1);
            $others[] = new Contender("Apache mod_php, $connections processes", $apache, $page);
        }

        return $others;
    }
}
