<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Closure;
use Howdah\Bench\Data\Postgres;
use Howdah\Bench\Data\Project;
use Howdah\Bench\Data\Redis;
use Howdah\Bench\Report\Result;

/** A suite whose application has a PostgreSQL, and maybe a Redis: new ones, with new data, each time that it runs. */
final readonly class OnDatabase implements Suite
{
    /**
     * @param string                                    $example with a bin/setup that takes Laravel's DB_ variables
     * @param Closure(Project, Project, Postgres): Suite $suite   the second project has persistent connections
     */
    public function __construct(
        private string $name,
        private string $title,
        private string $example,
        private Closure $suite,
        private ?Redis $redis = null,
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
        $postgres = new Postgres();
        $projects = [];
        try {
            $run->tell("$this->name: PostgreSQL, and the application's data");
            $postgres->start();
            $this->redis?->start();
            $environment = $postgres->environment() + ($this->redis?->environment() ?? []);
            $projects[] = $plain = new Project($this->example, $environment);
            $projects[] = $persistent = new Project($this->example, ['DB_PERSISTENT' => 'true'] + $environment);

            return ($this->suite)($plain, $persistent, $postgres)->run($run);
        } finally {
            array_map(static fn (Project $project) => $project->remove(), $projects);
            $this->redis?->stop();
            $postgres->stop();
        }
    }
}
