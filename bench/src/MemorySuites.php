<?php

declare(strict_types=1);

namespace Howdah\Bench;

use Howdah\Bench\Load\Page;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Server\Application;
use Howdah\Bench\Server\Fpm;
use Howdah\Bench\Server\FrankenPhp;
use Howdah\Bench\Server\Octane;
use Howdah\Bench\Server\Realms;
use Howdah\Bench\Server\RoadRunner;
use Howdah\Bench\Server\Running;
use Howdah\Bench\Suite\Memory;
use Howdah\Bench\Suite\Suite;

/** Memory under load: two workers of eight realms beside as many children. */
final readonly class MemorySuites extends SuiteKit
{
    private const WORKERS = 2;

    /** The wait keeps all realms and all children at work: a request that never waits always meets the same realm. */
    private const WAIT = '/sleep/10';

    /** @return list<Suite> */
    public function all(): array
    {
        $waited = Page::matching(self::WAIT, '/^\{"asked_ms":10,"took_ms":\d/');
        $atOnce = self::WORKERS * self::AT_ONCE;
        $wait = $this->own('wait');
        $laravel = $this->example('laravel');
        $octane = "$this->root/bench/app/octane/frankenphp-worker.php";
        $symfony = $this->example('symfony');
        $project = dirname($symfony->root);
        $script = "$this->root/bench/app/roadrunner/symfony.php";
        $roadRunner = new RoadRunner($this->tools, $script, $project, $atOnce, [$project]);

        return [
            $this->memory('hello', 'a script that waits 10 ms', $wait, $this->greeting(), $this->asManyAs($atOnce, $wait)),
            $this->memory('laravel', 'a Laravel page that waits 10 ms', $laravel, $waited, [
                self::threads($atOnce) => FrankenPhp::worker($this->tools, $laravel, $atOnce),
                self::OCTANE_FRANKENPHP . ", $atOnce threads" => Octane::onFrankenPhp($this->tools, $laravel, $octane, $atOnce),
                self::OCTANE_ROADRUNNER . ", $atOnce processes" => Octane::onRoadRunner($this->tools, $laravel, $atOnce),
            ], 60),
            $this->memory('symfony', 'a Symfony page that waits 10 ms', $symfony, $waited, [
                ...$this->asManyAs($atOnce, $symfony, $roadRunner),
            ], 40),
        ];
    }

    /**
     * @param array<string, Running> $peers FrankenPHP's worker mode and RoadRunner, by name
     * @param float|null             $most  MiB in worker mode, for all processes
     */
    private function memory(
        string $name,
        string $what,
        Application $application,
        Page $page,
        array $peers,
        ?float $most = null,
    ): Suite {
        $realms = ', ' . self::WORKERS . ' x ' . self::AT_ONCE . ' realms';
        $children = self::WORKERS * self::AT_ONCE;
        $module = $this->tools->module;
        $worker = Realms::worker($module, $application, self::AT_ONCE, self::AT_ONCE);
        $classic = Realms::classic($module, $application, self::AT_ONCE, self::AT_ONCE);
        $fpm = new Fpm($this->tools, $application, $children);
        $threads = self::FRANKENPHP_CLASSIC . ", $children threads";
        $peers += [$threads => FrankenPhp::classic($this->tools, $application, $children)];

        return new Memory(
            "memory-$name",
            "memory of all processes under load: $what, " . self::CONNECTIONS . ' connections',
            $this->load(),
            [
                $this->contender(self::WORKER . $realms, $worker, $page, workers: self::WORKERS),
                $this->contender(self::CLASSIC . $realms, $classic, $page, workers: self::WORKERS),
                $this->contender(self::FPM . ", $children children", $fpm, $page, workers: self::WORKERS),
                ...self::contenders($peers, $page, processors: self::WORKERS),
            ],
            $most === null ? [] : [Goal::below($most, 'worker mode: PSS, MiB', Metric::Pss, self::WORKER . $realms)],
        );
    }
}
