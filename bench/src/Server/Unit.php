<?php

declare(strict_types=1);

namespace Howdah\Bench\Server;

use Howdah\Bench\Machine\Peer;
use Howdah\Bench\Machine\Process;
use Howdah\Bench\Machine\Tools;
use Howdah\Cli\RuntimeFolder;

/**
 * NGINX Unit with its PHP module: processes that start the application for each request, as php-fpm's children do, behind a
 * router of its own.
 */
final class Unit extends Running
{
    public const PHP = 'NGINX Unit';

    public function __construct(
        private readonly Tools $tools,
        private readonly Application $application,
        private readonly int $children,
    ) {
    }

    public function php(): string
    {
        return self::PHP;
    }

    public function missing(): ?string
    {
        return Peer::Unit->missing();
    }

    protected function launch(RuntimeFolder $folder, int $port): array
    {
        // Unit begins with the configuration that it had when it ended.
        $configuration = json_encode($this->configuration($port), JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
        mkdir("$folder->path/state");
        $folder->write('state/conf.json', $configuration);
        // Its log is what it says on standard error.
        $command = [
            (string) Peer::Unit->program(),
            '--no-daemon',
            '--control',
            "unix:$folder->path/control.sock",
            '--pid',
            "$folder->path/unit.pid",
            '--log',
            '/dev/stderr',
            '--state',
            "$folder->path/state",
            '--tmp',
            $folder->path,
            ...(posix_geteuid() === 0 ? ['--user', 'root', '--group', 'root'] : []),
        ];

        return [Process::start('unit', $command, $folder, ['PHP_INI_SCAN_DIR' => $this->tools->scan($folder)])];
    }

    /** @return array<string, mixed> */
    private function configuration(int $port): array
    {
        return [
            'settings' => ['http' => ['idle_timeout' => 600, 'max_body_size' => 2 ** 31]],
            'listeners' => ["127.0.0.1:$port" => ['pass' => 'applications/bench']],
            'applications' => [
                'bench' => [
                    'type' => 'php',
                    'processes' => $this->children,
                    'root' => $this->application->root,
                    'script' => basename($this->application->front),
                    'options' => ['file' => (string) $this->tools->php->ini],
                    // We: as nginx's workers here, so that nobody has an easier life with files.
                    ...(posix_geteuid() === 0 ? ['user' => 'root', 'group' => 'root'] : []),
                ],
            ],
        ];
    }
}
