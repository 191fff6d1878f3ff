<?php

declare(strict_types=1);

namespace Howdah\Bench;

use Howdah\Bench\Data\Ledger;
use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Rules\Rules;
use Howdah\Bench\Server\Application;
use Howdah\Bench\Server\Fpm;
use Howdah\Bench\Server\Realms;
use Howdah\Bench\Server\RoadRunner;
use Howdah\Bench\Server\Swoole;
use Howdah\Bench\Suite\Speed;
use Howdah\Bench\Suite\Suite;

/** What suites of public benchmarks are made with: one entry of bench/app/arena under every server, verified by their rules. */
abstract readonly class ArenaKit extends SuiteKit
{
    /** Where nothing is waited for: as in hello. */
    protected const ALONE = 1;

    /** The name of the entry's class in bench/app/arena. */
    abstract protected function entry(): string;

    /** @param int $atOnce requests that each server has at once on its one processor: where it waits for a database, AT_ONCE */
    protected function arena(
        string $name,
        string $title,
        Load $load,
        Page $page,
        Rules $rules,
        int $atOnce,
        ?Ledger $ledger = null,
    ): Suite {
        $fpm = $atOnce === self::ALONE ? self::FPM : self::FPM_PERSISTENT;
        $contenders = $this->field($page, $rules, $atOnce, $ledger);

        return new Speed($name, "$title, $load->connections connections", $load, $contenders, [
            self::times(1, self::WORKER, $fpm, 'worker mode'),
            self::times(1, self::WORKER, self::SWOOLE_BASE, 'worker mode'),
        ]);
    }

    /** @return list<Contender> */
    private function field(Page $page, Rules $rules, int $atOnce, ?Ledger $ledger): array
    {
        $own = "$this->root/bench/app/arena";
        $file = strtolower($this->entry());
        $application = new Application($own, "$own/$file.php", "$own/$file-worker.php");
        $project = "$this->root/examples/psr15";
        $script = "$this->root/bench/app/roadrunner/entry.php";
        $module = $this->tools->module;
        $alone = $atOnce === self::ALONE;
        $realms = $alone ? Realms::USUAL : $atOnce;
        $contents = [
            self::WORKER => Realms::worker($module, $application, $realms, $alone ? 1 : $atOnce),
            $alone ? self::CLASSIC : self::CLASSIC_PERSISTENT => Realms::classic($module, $application, $realms),
            $alone ? self::FPM : self::FPM_PERSISTENT => new Fpm($this->tools, $application, $atOnce),
        ];
        $peers = [
            ...$this->peers($application, $atOnce),
            self::SWOOLE_BASE => Swoole::base($this->tools, $this->swooleScript($file), $atOnce),
            self::ROADRUNNER => new RoadRunner($this->tools, $script, $project, $atOnce, [$project, $this->entry()]),
        ];
        $contenders = [];
        foreach ($contents as $name => $content) {
            $contenders[] = $this->contender($name, $content, $page, $ledger, rules: $rules);
        }

        return [...$contenders, ...self::contenders($peers, $page, $ledger, rules: $rules)];
    }
}
