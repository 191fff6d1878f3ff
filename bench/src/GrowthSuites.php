<?php

declare(strict_types=1);

namespace Howdah\Bench;

use Closure;
use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Server\Content;
use Howdah\Bench\Server\Fpm;
use Howdah\Bench\Server\FrankenPhp;
use Howdah\Bench\Server\Realms;
use Howdah\Bench\Server\Running;
use Howdah\Bench\Suite\Growing;
use Howdah\Bench\Suite\Place;
use Howdah\Bench\Suite\Suite;

/**
 * Throughput and memory as there is more of something: Howdah in worker mode beside php-fpm with as many children as realms,
 * and FrankenPHP and RoadRunner with as many threads and processes.
 */
final readonly class GrowthSuites extends SuiteKit
{
    /** @return list<Suite> */
    public function all(): array
    {
        return [$this->workers(), $this->realms(), $this->connections(), $this->size()];
    }

    /** A wait keeps realms and children busy without processors: two cores are enough for eight workers. */
    private function workers(): Suite
    {
        $places = $this->places('wait', [1, 2, 4, 8], fn (int $workers): array => [
            'workers' => $workers,
            'realms' => self::AT_ONCE,
        ]);

        return new Growing('growth-workers', 'a wait of 10 ms in ' . self::AT_ONCE . ' realms a worker', 'workers', $places, [
            Goal::atLeastOf(0.9, 'worker mode: power of throughput', Metric::RateExponent, self::WORKER, 1.0),
        ]);
    }

    private function realms(): Suite
    {
        $places = $this->places('wait', [4, 16, 64, 256], fn (int $realms): array => [
            'realms' => $realms,
            'connections' => 256,
        ]);

        return new Growing('growth-realms', 'a wait of 10 ms, 256 connections, one worker', 'realms, or children', $places, [
            Goal::below(1, 'worker mode: power of memory', Metric::MemoryExponent, self::WORKER),
        ]);
    }

    private function connections(): Suite
    {
        $places = $this->places('hello', [16, 64, 256, 1024], fn (int $connections): array => ['connections' => $connections]);

        return new Growing('growth-connections', 'one line of text, one worker', 'connections', $places, [
            Goal::below(0.1, 'worker mode: power of memory', Metric::MemoryExponent, self::WORKER),
        ]);
    }

    private function size(): Suite
    {
        $places = $this->places('body', [1, 8, 64, 512], fn (int $kilobytes): array => ['kilobytes' => $kilobytes]);

        return new Growing('growth-size', 'responses, ' . self::CONNECTIONS . ' connections, one worker', 'KB', $places, [
            Goal::below(0.3, 'worker mode: power of memory', Metric::MemoryExponent, self::WORKER),
        ]);
    }

    /**
     * @param non-empty-list<int>              $amounts two at least
     * @param Closure(int): array<string, int> $setting  what of workers, realms, connections and kilobytes is not as always
     *
     * @return list<Place> those of a full run, or the first and the last but one
     */
    private function places(string $script, array $amounts, Closure $setting): array
    {
        $places = [];
        $amounts = $this->choices->full ? $amounts : [$amounts[0], $amounts[count($amounts) - 2]];
        foreach ($amounts as $amount) {
            $set = $setting($amount) + ['workers' => 1, 'realms' => 16, 'connections' => self::CONNECTIONS, 'kilobytes' => 0];
            $page = $this->page($set['kilobytes']);
            $load = new Load($this->tools->wrk, $set['connections']);
            foreach ($this->contents($script, $set['realms'], $set['workers']) as $line => $content) {
                $contender = $this->contender("$line, $amount", $content, $page, workers: $set['workers']);
                $places[] = new Place($line, $amount, $contender, $load);
            }
            foreach ($this->others($script, self::children($script, $set['realms'], $set['workers'])) as $line => $server) {
                $contender = new Contender("$line, $amount", $server->on($set['workers']), $page);
                $places[] = new Place($line, $amount, $contender, $load);
            }
        }

        return $places;
    }

    /** @return array<string, Content> by line */
    private function contents(string $script, int $realms, int $workers): array
    {
        $application = $this->own($script);

        return [
            self::WORKER => Realms::worker($this->tools->module, $application, $realms),
            self::FPM => new Fpm($this->tools, $application, self::children($script, $realms, $workers)),
        ];
    }

    /** @return array<string, Running> by line: FrankenPHP and RoadRunner, with as many threads and processes as children */
    private function others(string $script, int $children): array
    {
        $application = $this->own($script);

        return [
            self::FRANKENPHP_WORKER => FrankenPhp::worker($this->tools, $application, min($children, self::MOST_THREADS)),
            self::atMost(self::ROADRUNNER) => $this->roadRunner($application, self::processes($children)),
        ];
    }

    /** As many as realms, where requests wait; a realm that never waits answers them all. */
    private static function children(string $script, int $realms, int $workers): int
    {
        return $script === 'wait' ? $realms * $workers : $workers;
    }

    private function page(int $kilobytes): Page
    {
        return $kilobytes === 0
            ? Page::saying('/', "Hello, World!\n")
            : Page::saying("/?kb=$kilobytes", str_repeat('0123456789abcdef', $kilobytes * 64));
    }
}
