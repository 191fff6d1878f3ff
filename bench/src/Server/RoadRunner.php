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

/**
 * RoadRunner: its server in front of php processes, each of which has one request at a time. Their script needs
 * spiral/roadrunner-http and the extension protobuf.
 *
 * Read in its source (82d735ef of 2026-08, after 2025.1.9; config.go of its plugins http, pool, server, logger and rpc): no
 * supervisor and no dynamic allocator where none is named, max_jobs 0 is no limit, no middleware unless listed; `command` and
 * `output` are lists; the address of rpc is scheme://address.
 */
final class RoadRunner extends Running
{
    public const PHP = 'RoadRunner';

    private readonly PhpProgram $php;

    /**
     * @param string       $script    of bench/app/roadrunner
     * @param string       $project   whose vendor folder the script loads
     * @param list<string> $arguments of the script
     */
    public function __construct(
        Tools $tools,
        private readonly string $script,
        private readonly string $project,
        private readonly int $workers,
        private readonly array $arguments = [],
    ) {
        $this->php = new PhpProgram($tools);
    }

    public function php(): string
    {
        return self::PHP;
    }

    public function missing(): ?string
    {
        return Peer::RoadRunner->missing() ?? self::lacking($this->php, $this->project);
    }

    /** What PHP or the project lacks to speak as RoadRunner does since 2024, in protobuf; null when nothing is. */
    public static function lacking(PhpProgram $php, string $project): ?string
    {
        return Package::missing('spiral/roadrunner-http', $project, '3.5', 'whose answers RoadRunner understands since 2024'
            . ' ("unknown payload type: 0", and an empty answer, to others)') ?? $php->missing(Extension::Protobuf);
    }

    protected function launch(RuntimeFolder $folder, int $port): array
    {
        return [$this->serve($folder, ['address' => "127.0.0.1:$port"])];
    }

    /** @param array<string, mixed> $listens who asks, and where: of the section `http` */
    public function serve(RuntimeFolder $folder, array $listens): Process
    {
        // JSON is YAML.
        $folder->write('.rr.yaml', json_encode([
            'version' => '3',
            'rpc' => ['listen' => "unix://$folder->path/rpc.sock"],
            'server' => ['command' => [$this->php->path(), $this->script, ...$this->arguments], 'relay' => 'pipes'],
            'http' => [
                ...$listens,
                'access_logs' => false,
                'middleware' => [],
                'pool' => ['num_workers' => $this->workers, 'max_jobs' => 0],
            ],
            'logs' => ['mode' => 'production', 'level' => 'error', 'output' => ['stderr']],
        ], JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES));
        $command = [(string) Peer::RoadRunner->program(), 'serve', '-c', "$folder->path/.rr.yaml"];

        $environment = $this->php->environment($folder, Extension::Protobuf) + GoProgram::environment($this->processors());

        return Process::start('roadrunner', $command, $folder, $environment);
    }
}
