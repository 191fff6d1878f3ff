<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Closure;
use Howdah\Bench\Data\CodeIgniter;
use Howdah\Bench\Data\Postgres;
use Howdah\Bench\Data\Redis;
use Howdah\Bench\Machine\Missing;
use Howdah\Bench\Report\Result;
use Howdah\Bench\Server\Application;

/** A suite whose application is a project of CodeIgniter with a PostgreSQL and a Redis: new ones each time that it runs. */
final readonly class OnCodeIgniter implements Suite
{
    /**
     * @param string                              $ours  bench/app/codeigniter
     * @param Closure(Application, Redis): Suite  $suite
     */
    public function __construct(
        private string $name,
        private string $title,
        private string $ours,
        private Closure $suite,
    ) {
    }

    public function name(): string
    {
        return $this->name;
    }

    public function title(): string
    {
        return $this->title;
    }

    public function run(Run $run): Result
    {
        $missing = CodeIgniter::missing();
        if ($missing !== null) {
            throw new Missing($missing);
        }
        $postgres = new Postgres(CodeIgniter::text("$this->ours/tables.sql"));
        $redis = new Redis();
        $project = null;
        try {
            $run->tell("$this->name: PostgreSQL, Redis, and a copy of the project");
            $postgres->start();
            $redis->start();
            $project = new CodeIgniter($this->ours, $postgres, $redis);

            return ($this->suite)($project->application(), $redis)->run($run);
        } finally {
            $project?->remove();
            $redis->stop();
            $postgres->stop();
        }
    }
}
