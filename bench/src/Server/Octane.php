<?php

declare(strict_types=1);

namespace Howdah\Bench\Server;

use Howdah\Bench\Machine\Extension;
use Howdah\Bench\Machine\GoProgram;
use Howdah\Bench\Machine\Package;
use Howdah\Bench\Machine\Peer;
use Howdah\Bench\Machine\PhpProgram;
use Howdah\Bench\Machine\Process;
use Howdah\Bench\Machine\Tools;
use Howdah\Cli\RuntimeFolder;

/** Laravel Octane on Swoole or RoadRunner, by its own command. On FrankenPHP: that server, with Octane's worker script. */
final class Octane extends Running
{
    private const PACKAGE = 'laravel/octane';

    /** Octane ends its workers after 500 otherwise; nobody else's here are ended, and 0 means none on FrankenPHP. */
    private const REQUESTS = '1000000000';

    private readonly PhpProgram $php;

    private function __construct(
        Tools $tools,
        private readonly string $project,
        private readonly string $server,
        private readonly int $workers,
    ) {
        $this->php = new PhpProgram($tools);
    }

    public static function onSwoole(Tools $tools, Application $application, int $workers): self
    {
        return new self($tools, dirname($application->root), 'swoole', $workers);
    }

    public static function onRoadRunner(Tools $tools, Application $application, int $workers): self
    {
        return new self($tools, dirname($application->root), 'roadrunner', $workers);
    }

    /** @param string $script as what octane:install puts into public/, where an example has one of its own */
    public static function onFrankenPhp(Tools $tools, Application $application, string $script, int $workers): FrankenPhp
    {
        $project = dirname($application->root);
        $environment = [
            'APP_BASE_PATH' => $project,
            'APP_PUBLIC_PATH' => $application->root,
            'LARAVEL_OCTANE' => '1',
            'MAX_REQUESTS' => self::REQUESTS,
        ];
        $entered = new Application(dirname($script), $script, $script);

        return FrankenPhp::worker($tools, $entered, $workers, $environment, Package::missing(self::PACKAGE, $project));
    }

    public function php(): string
    {
        return $this->server === 'swoole' ? Swoole::PHP : RoadRunner::PHP;
    }

    public function missing(): ?string
    {
        if ($this->server === 'swoole') {
            return $this->php->missing(Extension::Swoole) ?? Package::missing(self::PACKAGE, $this->project);
        }

        return Peer::RoadRunner->missing()
            ?? Package::missing(self::PACKAGE, $this->project)
            ?? Package::missing('spiral/roadrunner-cli', $this->project)
            ?? RoadRunner::lacking($this->php, $this->project);
    }

    protected function launch(RuntimeFolder $folder, int $port): array
    {
        foreach (['logs', 'framework/cache/data', 'framework/sessions', 'framework/views'] as $name) {
            mkdir("$folder->path/storage/$name", recursive: true);
        }
        // JSON is YAML; the command has to find a file, and says the rest by options.
        $folder->write('.rr.yaml', '{"version": "3"}');
        $command = [
            $this->php->path(),
            "$this->project/artisan",
            'octane:start',
            "--server=$this->server",
            '--host=127.0.0.1',
            "--port=$port",
            "--workers=$this->workers",
            '--max-requests=' . self::REQUESTS,
            ...($this->server === 'swoole'
                ? ['--task-workers=1']
                : ['--rpc-port=' . Port::free(), "--rr-config=$folder->path/.rr.yaml"]),
        ];
        // What it notes of its processes is in storage/: two servers of one project would take each other for themselves.
        $swoole = $this->server === 'swoole';
        $environment = $this->php->environment($folder, $swoole ? Extension::Swoole : Extension::Protobuf)
            + ['LARAVEL_STORAGE_PATH' => "$folder->path/storage"]
            + ($swoole ? [] : $this->roadRunner($folder));

        return [Process::start('octane', $command, $folder, $environment)];
    }

    /**
     * Octane looks for a program of the name rr in PATH (Commands/Concerns/InstallsRoadRunnerDependencies.php), whatever a
     * variable of ours names.
     *
     * @return array<string, string>
     */
    private function roadRunner(RuntimeFolder $folder): array
    {
        mkdir("$folder->path/bin");
        symlink((string) Peer::RoadRunner->program(), "$folder->path/bin/rr");

        return ['PATH' => "$folder->path/bin:" . getenv('PATH')] + GoProgram::environment($this->processors());
    }
}
