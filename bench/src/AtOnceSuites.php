<?php

declare(strict_types=1);

namespace Howdah\Bench;

use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Server\Application;
use Howdah\Bench\Server\Fpm;
use Howdah\Bench\Server\FrankenPhp;
use Howdah\Bench\Server\NginxServer;
use Howdah\Bench\Server\Octane;
use Howdah\Bench\Server\Realms;
use Howdah\Bench\Server\Running;
use Howdah\Bench\Suite\Growing;
use Howdah\Bench\Suite\Place;
use Howdah\Bench\Suite\Suite;

/**
 * Laravel where a few, some and many are answered at once: what that costs in time and in memory. There are as many realms and
 * threads as requests at once, and processes up to a number; one worker on one processor.
 */
final readonly class AtOnceSuites extends SuiteKit
{
    private const AT_ONCE_EACH = [8, 64, 200];

    /** Who boots for each request answers so many in a second. */
    private const TURNS = 40;

    /** Where the goal about memory is. */
    private const SOME = 64;

    /** @return list<Suite> */
    public function all(): array
    {
        $ours = self::WORKER;
        $theirs = self::FRANKENPHP_WORKER;
        $some = self::SOME;
        $name = 'laravel-at-once';

        return [
            $this->atOnce($name, "Laravel's JSON hello", Page::saying('/api/hello', '{"message":"Hello"}'), [
                Goal::belowOf(0.4, "worker mode / $theirs: PSS, $some", Metric::Pss, "$ours, $some", "$theirs, $some"),
            ]),
            $this->atOnce(
                "$name-50ms",
                'a Laravel page that waits 50 ms',
                Page::matching('/sleep/50', '/^\{"asked_ms":50,"took_ms":\d/'),
                [],
            ),
        ];
    }

    /** @param list<Goal> $goals */
    private function atOnce(string $name, string $what, Page $page, array $goals): Suite
    {
        $places = [];
        foreach (self::AT_ONCE_EACH as $number) {
            $load = new Load($this->tools->wrk, $number, turns: self::TURNS);
            foreach ($this->servers($this->example('laravel'), $number) as $line => $server) {
                $places[] = new Place($line, $number, new Contender("$line, $number", $server, $page), $load);
            }
        }
        $title = "$what, " . implode(', ', self::AT_ONCE_EACH) . ' at once';

        return new Growing($name, $title, 'requests at once', $places, $goals);
    }

    /** @return array<string, Running> by line */
    private function servers(Application $laravel, int $number): array
    {
        $script = "$this->root/bench/app/octane/frankenphp-worker.php";
        $processes = self::processes($number);
        $realms = Realms::worker($this->tools->module, $laravel, $number, $number);

        return [
            self::WORKER => new NginxServer($this->tools, $realms),
            self::atMost(self::FPM) => new NginxServer($this->tools, new Fpm($this->tools, $laravel, $processes)),
            self::FRANKENPHP_WORKER => FrankenPhp::worker($this->tools, $laravel, $number),
            self::OCTANE_FRANKENPHP => Octane::onFrankenPhp($this->tools, $laravel, $script, $number),
            self::atMost(self::OCTANE_ROADRUNNER) => Octane::onRoadRunner($this->tools, $laravel, $processes),
        ];
    }
}
