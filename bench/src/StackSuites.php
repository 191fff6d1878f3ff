<?php

declare(strict_types=1);

namespace Howdah\Bench;

use Closure;
use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Machine\Tools;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Server\Apache;
use Howdah\Bench\Server\Application;
use Howdah\Bench\Server\Fpm;
use Howdah\Bench\Server\FrankenPhp;
use Howdah\Bench\Server\NginxServer;
use Howdah\Bench\Server\Realms;
use Howdah\Bench\Server\RoadRunner;
use Howdah\Bench\Server\RoadRunnerFcgi;
use Howdah\Bench\Server\Running;
use Howdah\Bench\Server\Swoole;
use Howdah\Bench\Server\Unit;
use Howdah\Bench\Suite\Given;
use Howdah\Bench\Suite\Settings;
use Howdah\Bench\Suite\Speed;
use Howdah\Bench\Suite\Suite;

/**
 * "9 PHP runtimes: performance benchmark" (Dzmitry Kazbiarovich, 2024), with its conditions: a processor and 1 GB for each
 * server, its processes, its settings of PHP (github.com/DimDev/php-runtimes-benchmark, 901796f). Ours stand beside its nine.
 */
final readonly class StackSuites extends SuiteKit
{
    private const NGINX_ROADRUNNER = 'nginx + RoadRunner, FastCGI';

    private const PROCESSORS = '1';
    private const MEMORY = '1G';

    /** php-fpm's there are up to 33, of which ten start. */
    private const CHILDREN = 33;

    /** Of RoadRunner, and of Swoole in mode BASE; FrankenPHP's are twice its processors where nothing is said. */
    private const WORKERS = 2;

    /** Answers a second of the slowest, for each connection to have its turn: 30 s are published, 10 s are the least here. */
    private const TURNS = 100;

    /** @param Closure(): Settings $asked of the PHPs, with the settings of these suites */
    public function __construct(Tools $tools, string $root, Choices $choices, private Closure $asked)
    {
        parent::__construct($tools, $root, $choices);
    }

    /** @return array<string, string> as published; the preload file is the one that Symfony makes with its container */
    public static function settings(string $root): array
    {
        return [
            'memory_limit' => '128M',
            'realpath_cache_size' => '4096K',
            'realpath_cache_ttl' => '600',
            'opcache.jit' => 'tracing',
            'opcache.jit_buffer_size' => '256M',
            'opcache.memory_consumption' => '256',
            'opcache.max_accelerated_files' => '20000',
            'opcache.validate_timestamps' => '0',
            'opcache.preload' => "$root/examples/symfony/var/cache/prod/App_KernelProdContainer.preload.php",
            ...(posix_geteuid() === 0 ? ['opcache.preload_user' => 'root'] : []),
        ];
    }

    /** @return list<Suite> */
    public function all(): array
    {
        return array_map($this->stacks(...), [10, 100, 1000]);
    }

    private function stacks(int $connections): Suite
    {
        $application = $this->example('symfony');
        $page = $this->symfonyPage();
        $many = $connections > Apache::MOST_PROCESSES;
        $suite = new Speed(
            "symfony-stacks-$connections",
            "a Symfony page on nine stacks as published: 1 processor, 1 GB, JIT, preload; $connections connections",
            new Load($this->tools->wrk, $connections, tolerant: $many, turns: self::TURNS),
            [
                $this->contender(self::WORKER, Realms::worker($this->tools->module, $application), $page),
                $this->contender(self::CLASSIC, Realms::classic($this->tools->module, $application), $page),
                ...self::contenders($this->nine($application, $connections), $page),
            ],
            [
                Goal::atLeast(1.1, 'worker mode / Swoole, BASE', Metric::Rate, self::WORKER, self::SWOOLE_BASE),
                Goal::atLeast(2, 'worker mode / php-fpm', Metric::Rate, self::WORKER, self::FPM),
                ...($many ? [Goal::below(1, 'worker mode: errors', Metric::Errors, self::WORKER)] : []),
            ],
        );

        return new Given($suite, self::PROCESSORS, self::MEMORY, $this->asked);
    }

    /** @return array<string, Running> by name, in the order of the article */
    private function nine(Application $application, int $connections): array
    {
        $project = "$this->root/examples/symfony";
        $script = "$this->root/bench/app/roadrunner/symfony.php";
        $roadRunner = new RoadRunner($this->tools, $script, $project, self::WORKERS, [$project]);
        $fpm = new Fpm($this->tools, $application, self::CHILDREN);
        $apache = min($connections, Apache::MOST_PROCESSES) + 1;
        $swoole = $this->swooleScript('symfony');

        return [
            // A process for each connection: 1,000 of them are more than its own limit of 256.
            ...($connections > Apache::MOST_PROCESSES ? []
                : ["Apache mod_php, $connections processes" => Apache::modPhp($this->tools, $application, $apache)]),
            self::APACHE_FPM => Apache::fpm($this->tools, $application, self::CHILDREN, $connections + 1),
            self::FPM => new NginxServer($this->tools, $fpm),
            self::UNIT => new Unit($this->tools, $application, 1),
            self::ROADRUNNER => $roadRunner,
            self::NGINX_ROADRUNNER => new NginxServer($this->tools, new RoadRunnerFcgi($roadRunner), peer: $roadRunner),
            self::FRANKENPHP_CLASSIC => FrankenPhp::classic($this->tools, $application, self::WORKERS),
            self::FRANKENPHP_WORKER => FrankenPhp::worker($this->tools, $application, self::WORKERS),
            self::SWOOLE_BASE => Swoole::base($this->tools, $swoole, self::WORKERS),
        ];
    }
}
