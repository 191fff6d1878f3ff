<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Howdah\Cli\Tls\TlsFiles;

/** All that a server needs before it is started, found and checked, in the order in which one would put it right. */
final readonly class Preparation
{
    private function __construct(
        public Project $project,
        public Nginx $nginx,
        public PhpRuntime $php,
        public Protection $protection,
        public ?TlsFiles $tls,
        private ServeOptions $options,
        private string $module,
        private string $mark,
        private string $remedy,
        private string $livePage,
    ) {
    }

    /**
     * Fails where a server would not start, in better words and sooner.
     *
     * @param int|null $concurrency that PHP is asked about, if it is another than that of the options
     * @param bool     $serves      it serves already: each address is ours
     * @param bool     $listens     the first address is ours already
     */
    public static function of(
        Installation $installation,
        ServeOptions $options,
        ?int $concurrency = null,
        bool $serves = false,
        bool $listens = false,
    ): self {
        $project = (new ProjectFinder())->find($options);
        $protection = new Protection($project);
        $nginx = Nginx::find();
        $module = $installation->module();
        $php = PhpRuntime::probe($installation, $options->engineArguments($concurrency));
        $php->assertServes();
        if ($project->script !== null) {
            $php->assertCompiles($project->script);
        }
        $options->proxies->assertServed($nginx);
        $options->development->assertServed($nginx);
        $tls = $options->tls->files($options->listen, $nginx);
        if (!$serves && !$listens) {
            $options->listen->assertFree();
        }
        if (!$serves) {
            $options->statusAddress?->assertFree();
        }

        $page = $installation->resource(LivePage::FILE);
        $mark = self::mark($module);

        return new self($project, $nginx, $php, $protection, $tls, $options, $module, $mark, $installation->remedy(), $page);
    }

    /** The same, where the worker script does not boot; null where nothing else can serve the project. */
    public function inClassicMode(): ?self
    {
        $project = $this->project->inClassicMode("{$this->project->script} does not boot");

        return $project === null
            ? null
            : new self(
                $project,
                $this->nginx,
                $this->php,
                $this->protection,
                $this->tls,
                $this->options,
                $this->module,
                $this->mark,
                $this->remedy,
                $this->livePage,
            );
    }

    /** Asked where nginx has not started: it does so with any module that it loads, which need not be tried before. */
    public function assertLoads(): void
    {
        $this->nginx->assertLoads($this->module, $this->remedy);
    }

    /** A running nginx has its module for life: another one would start PHP a second time in the same process. */
    public function assertSameModule(self $running): void
    {
        if ($this->mark !== $running->mark) {
            throw new Failure("Howdah's nginx module {$this->module} is not the one that this server was started with (an"
                . ' upgrade?): a reload cannot take another one; stop the server and start it again');
        }
    }

    /** What tells a file from another one in its place. */
    private static function mark(string $file): string
    {
        clearstatcache(true, $file);
        $stat = @stat($file) ?: [];

        return implode(' ', array_map(static fn (string $name): int => $stat[$name] ?? 0, ['dev', 'ino', 'size', 'mtime']));
    }

    public function bodies(): BodyLimits
    {
        return BodyLimits::of($this->options->maxBody, $this->php->settings);
    }

    /**
     * nginx's configuration, for Server.
     *
     * @param int $number of the configuration among those that one nginx is given
     */
    public function configuration(?Watch $watch = null, int $number = 0): string
    {
        $config = new NginxConfig(
            $this->project,
            $this->options,
            $this->module,
            $this->nginx,
            $this->bodies(),
            $watch,
            true,
            $number,
            $this->protection,
            $this->tls,
            $this->options->livePage->isServed ? $this->livePage : null,
        );

        return $config->render();
    }
}
