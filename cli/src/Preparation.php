<?php

declare(strict_types=1);

namespace Howdah\Cli;

/** All that a server needs before it is started, found and checked, in the order in which one would put it right. */
final readonly class Preparation
{
    private function __construct(
        public Project $project,
        public Nginx $nginx,
        public PhpRuntime $php,
        public Protection $protection,
        private ServeOptions $options,
        private string $module,
    ) {
    }

    /**
     * Fails where a server would not start, in better words and sooner.
     *
     * @param int|null $concurrency that PHP is asked about, if it is another than that of the options
     */
    public static function of(Installation $installation, ServeOptions $options, ?int $concurrency = null): self
    {
        $project = (new ProjectFinder())->find($options);
        $protection = new Protection($project);
        $nginx = Nginx::find();
        $module = $installation->module();
        $php = PhpRuntime::probe($installation, $options->engineArguments($concurrency));
        $php->assertServes();
        if ($project->script !== null) {
            $php->assertCompiles($project->script);
        }
        $nginx->assertLoads($module, $installation->remedy());
        $options->listen->assertFree();

        return new self($project, $nginx, $php, $protection, $options, $module);
    }

    /** nginx's configuration, for Server. */
    public function configuration(?Watch $watch = null): string
    {
        $config = new NginxConfig(
            $this->project,
            $this->options,
            $this->module,
            $this->nginx->mimeTypes(),
            $this->options->maxBody ?? $this->php->largestBody(),
            $watch,
            true,
            $this->protection,
        );

        return $config->render();
    }
}
