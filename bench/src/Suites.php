<?php

declare(strict_types=1);

namespace Howdah\Bench;

use Howdah\Bench\Load\Load;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Machine\Tools;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Server\Apache;
use Howdah\Bench\Server\Application;
use Howdah\Bench\Server\FixedText;
use Howdah\Bench\Server\Fpm;
use Howdah\Bench\Server\FrankenPhp;
use Howdah\Bench\Server\Realms;
use Howdah\Bench\Server\RoadRunner;
use Howdah\Bench\Server\Swoole;
use Howdah\Bench\Server\Unit;
use Howdah\Bench\Suite\Births;
use Howdah\Bench\Suite\Flat;
use Howdah\Bench\Suite\HookCost;
use Howdah\Bench\Suite\Newborn;
use Howdah\Bench\Suite\Parked;
use Howdah\Bench\Suite\Settings;
use Howdah\Bench\Suite\Speed;
use Howdah\Bench\Suite\Spin;
use Howdah\Bench\Suite\Suite;
use Howdah\Bench\Suite\SwitchCost;

/** Every suite with its contenders, loads and goals. One worker of Howdah meets one child of php-fpm. */
final readonly class Suites extends SuiteKit
{
    private Application $hello;
    private Application $spin;
    private Application $small;
    private Application $cycles;
    private Application $laravel;

    public function __construct(Tools $tools, string $root, Choices $choices = new Choices())
    {
        parent::__construct($tools, $root, $choices);
        $this->hello = $this->own('hello');
        $this->spin = $this->own('spin');
        $this->small = $this->own('small');
        $this->cycles = $this->own('hello', 'cycles');
        $this->laravel = $this->example('laravel');
    }

    /** Those with goals beside FrankenPHP. */
    public const GOALS = [
        'hello',
        'ping-100',
        'ping-1000',
        'symfony-page-100',
        'laravel',
        'laravel-10q',
        'wait-200',
        'wait-1000',
        'laravel-at-once',
    ];

    /** @return list<Suite> in the order in which they run */
    public function all(): array
    {
        return [
            $this->hello(),
            $this->laravel(),
            ...(new FieldSuites($this->tools, $this->root, $this->choices))->all(),
            ...(new DataSuites($this->tools, $this->root, $this->choices))->all(),
            ...(new TechEmpowerSuites($this->tools, $this->root, $this->choices))->all(),
            ...(new HttpArenaSuites($this->tools, $this->root, $this->choices))->all(),
            ...(new WaitSuites($this->tools, $this->root, $this->choices))->all(),
            $this->spin(),
            $this->hookCost(),
            $this->switchCost(),
            $this->births(),
            $this->parked(2000, 15),
            ...(new AtOnceSuites($this->tools, $this->root, $this->choices))->all(),
            ...(new MemorySuites($this->tools, $this->root, $this->choices))->all(),
            ...(new GrowthSuites($this->tools, $this->root, $this->choices))->all(),
            $this->flat(),
            ...(new AdaptiveSuites($this->tools, $this->root, $this->choices))->all(),
            ...(new HttpSuites($this->tools, $this->root, $this->choices))->all(),
        ];
    }

    /** @return list<Suite> published tables in their own conditions: they run when they are named, and in no run of all */
    public function named(): array
    {
        return [
            ...(new FieldSuites($this->tools, $this->root, $this->choices))->named(),
            ...(new DataSuites($this->tools, $this->root, $this->choices))->named(),
            ...$this->stacks()->all(),
            ...(new CodeIgniterSuites($this->tools, $this->root, $this->choices))->all(),
        ];
    }

    private function stacks(): StackSuites
    {
        $tools = $this->tools->with(StackSuites::settings($this->root));
        $settings = (new self($tools, $this->root, $this->choices))->settings(...);

        return new StackSuites($tools, $this->root, $this->choices, $settings);
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
        $application = new Application($own, "$own/settings.php", "$own/settings-worker.php");
        $page = Page::matching('/', '/^\{"version":/');
        $roadRunner = $this->roadRunner($application, 1);
        // Octane's packages are the other example's; it is the same PHP.
        $octane = $this->roadRunner($application, 1, 'laravel');

        $peers = [
            FrankenPhp::PHP => FrankenPhp::worker($this->tools, $application, 1),
            RoadRunner::PHP => $roadRunner->missing() === null || $octane->missing() !== null ? $roadRunner : $octane,
            Unit::PHP => new Unit($this->tools, $application, 1),
            Swoole::PHP => Swoole::base($this->tools, $this->swooleScript('settings')),
            ...($this->choices->full ? [Apache::PHP => Apache::modPhp($this->tools, $application, 2)] : []),
        ];

        return new Settings(
            $this->contender(self::CLASSIC, Realms::classic($this->tools->module, $application), $page),
            $this->contender(self::FPM, new Fpm($this->tools, $application, 1), $page),
            array_combine(array_keys($peers), self::contenders($peers, $page)),
        );
    }

    private function hello(): Suite
    {
        $page = $this->greeting();

        return new Speed('hello', 'one line of text, ' . self::CONNECTIONS . ' connections', $this->load(), [
            $this->contender(self::NGINX, new FixedText(), $page),
            $this->contender(self::WORKER, Realms::worker($this->tools->module, $this->hello), $page),
            $this->contender(self::REWOUND, Realms::rewound($this->tools->module, $this->hello), $page),
            $this->contender(self::CLASSIC, Realms::classic($this->tools->module, $this->hello), $page),
            $this->contender(self::FPM, new Fpm($this->tools, $this->hello, 1), $page),
            $this->swoole(self::SWOOLE_BASE, 'hello', $page),
            ...self::contenders([...$this->peers($this->hello), self::ROADRUNNER => $this->roadRunner($this->hello, 1)], $page),
        ], [
            Goal::atLeast(0.75, "worker mode / nginx's own answer", Metric::Rate, self::WORKER, self::NGINX),
            Goal::atLeast(1, 'worker mode / Swoole, BASE', Metric::Rate, self::WORKER, self::SWOOLE_BASE),
            Goal::atLeast(3, 'worker mode / php-fpm', Metric::Rate, self::WORKER, self::FPM),
            Goal::atLeast(3, 'classic mode / php-fpm', Metric::Rate, self::CLASSIC, self::FPM),
            self::times(4, self::WORKER, self::FRANKENPHP_WORKER, 'worker mode'),
            self::times(2.8, self::CLASSIC, self::FRANKENPHP_CLASSIC, 'classic mode'),
            self::rewinds(0.85),
        ]);
    }

    private function laravel(): Suite
    {
        $page = Page::saying('/api/hello', '{"message":"Hello"}');

        return new Speed('laravel', "Laravel's JSON hello, " . self::CONNECTIONS . ' connections', $this->load(), [
            $this->contender(self::WORKER, Realms::worker($this->tools->module, $this->laravel), $page),
            $this->contender(self::REWOUND, Realms::rewound($this->tools->module, $this->laravel), $page),
            $this->contender(self::CLASSIC, Realms::classic($this->tools->module, $this->laravel), $page),
            $this->contender(self::FPM, new Fpm($this->tools, $this->laravel, 1), $page),
            ...self::contenders($this->laravelPeers($this->laravel), $page),
        ], [
            Goal::atLeast(4, 'worker mode / php-fpm', Metric::Rate, self::WORKER, self::FPM),
            Goal::atLeast(1.2, 'classic mode / php-fpm', Metric::Rate, self::CLASSIC, self::FPM),
            Goal::atLeast(4, 'worker mode / php-fpm, for each second of a core', Metric::PerCore, self::WORKER, self::FPM),
            self::times(1.7, self::WORKER, self::FRANKENPHP_WORKER, 'worker mode'),
            self::times(1.25, self::CLASSIC, self::FRANKENPHP_CLASSIC, 'classic mode'),
            self::rewinds(0.95),
        ]);
    }

    private function spin(): Suite
    {
        $page = $this->greeting();
        $title = 'one request computes all the time, the others do not, ' . self::CONNECTIONS . ' connections';

        return new Spin('spin', $title, new Load($this->tools->wrk, self::CONNECTIONS, settles: false), [
            $this->contender(self::WORKER, Realms::worker($this->tools->module, $this->spin), $page),
            $this->contender(self::CLASSIC, Realms::classic($this->tools->module, $this->spin), $page),
            ...self::contenders($this->asManyAs(Realms::USUAL, $this->spin), $page),
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

    private function flat(): Suite
    {
        $page = $this->greeting();
        $cycles = self::WORKER . ', each request leaves a cycle';
        $names = [self::WORKER => 'worker mode', self::CLASSIC => 'classic mode', $cycles => 'worker mode, cycles'];
        $goal = static fn (string $name, string $what): Goal =>
            Goal::below(5, "$what: growth of resident memory, %", Metric::Growth, $name);

        return new Flat('flat', 'memory stays flat', $this->load(), $this->choices->full ? 1_000_000 : 100_000, [
            $this->contender(self::WORKER, Realms::worker($this->tools->module, $this->hello), $page),
            $this->contender(self::CLASSIC, Realms::classic($this->tools->module, $this->hello), $page),
            $this->contender($cycles, Realms::worker($this->tools->module, $this->cycles), $page),
        ], array_map($goal, array_keys($names), $names));
    }
}
