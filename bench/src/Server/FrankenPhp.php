<?php

declare(strict_types=1);

namespace Howdah\Bench\Server;

use Howdah\Bench\Machine\GoProgram;
use Howdah\Bench\Machine\Peer;
use Howdah\Bench\Machine\PhpProgram;
use Howdah\Bench\Machine\Process;
use Howdah\Bench\Machine\Tools;
use Howdah\Cli\RuntimeFolder;

/**
 * FrankenPHP, set up as its docs/performance.md says for an application with one entry: no look for files, no file server.
 * It brings a PHP of its own (the report tells its version), which reads our php.ini and gets our settings of opcache, but
 * not our extensions: those are built for another PHP.
 *
 * Read in its source (caddy/app.go, workerconfig.go, module.go, frankenphp.go, cgi.go; fb62c307 of 2026-08, after 1.9.1):
 *   - A number of threads that is given is the most as well (calculateMaxThreads()), whatever the comment in app.go says, so it
 *     does not grow under load. It has to be above the workers'.
 *   - A worker is found by the path of its script, links resolved.
 *   - The address of a site chooses by Host alone: `bind` keeps it from listening on all addresses.
 *   - Metrics and access logs are off where nobody asks for them.
 */
final class FrankenPhp extends Running
{
    public const PHP = 'FrankenPHP';

    /** A folder whose .ini files its PHP reads beside those of its own folder. */
    public const INI = 'HOWDAH_BENCH_FRANKENPHP_INI';

    private const OPCACHE = [
        'opcache.enable',
        'opcache.memory_consumption',
        'opcache.interned_strings_buffer',
        'opcache.max_accelerated_files',
        'opcache.validate_timestamps',
        'opcache.revalidate_freq',
        'opcache.save_comments',
        'opcache.enable_file_override',
        'opcache.jit',
        'opcache.jit_buffer_size',
    ];

    private ?int $atOnce = null;

    /**
     * @param array<string, string> $environment of a worker
     * @param string|null           $lacking     what the application lacks
     */
    private function __construct(
        private readonly Tools $tools,
        private readonly string $script,
        private readonly bool $worker,
        private readonly int $threads,
        private readonly array $environment = [],
        private readonly ?string $lacking = null,
    ) {
    }

    /** @param int $threads of PHP: each answers one request at a time */
    public static function classic(Tools $tools, Application $application, int $threads): self
    {
        return new self($tools, $application->front, false, $threads);
    }

    /**
     * @param int                   $threads     that run the worker script; it wants one more, which has nothing to do
     * @param array<string, string> $environment what the script finds in $_SERVER
     * @param string|null           $lacking     what the application lacks to run on this machine
     */
    public static function worker(
        Tools $tools,
        Application $application,
        int $threads,
        array $environment = [],
        ?string $lacking = null,
    ): self {
        return new self($tools, $application->worker, true, $threads, $environment, $lacking);
    }

    public function php(): string
    {
        return self::PHP;
    }

    /** With so many of Go's threads at once, whatever is good for it. */
    public function limited(int $atOnce): self
    {
        $this->atOnce = $atOnce;

        return $this;
    }

    public function missing(): ?string
    {
        return Peer::FrankenPhp->missing() ?? $this->lacking;
    }

    protected function launch(RuntimeFolder $folder, int $port): array
    {
        $folder->write('Caddyfile', $this->configuration($port));
        $program = (string) Peer::FrankenPhp->program();
        $command = [$program, 'run', '--config', "$folder->path/Caddyfile", '--adapter', 'caddyfile'];

        $ini = Peer::named(self::INI);

        return [Process::start('frankenphp', $command, $folder, [
            // What is before the colon is the folder that it was built with.
            ...($ini === null ? [] : ['PHP_INI_SCAN_DIR' => ":$ini"]),
            'PHPRC' => dirname((string) $this->tools->php->ini),
            'GODEBUG' => 'cgocheck=0',
            ...GoProgram::environment($this->processors(), $this->atOnce),
            'XDG_CONFIG_HOME' => $folder->path,
            'XDG_DATA_HOME' => $folder->path,
        ])];
    }

    private function configuration(int $port): string
    {
        $settings = $this->tools->ini + (new PhpProgram($this->tools))->settings(self::OPCACHE);

        return implode("\n", [
            '{',
            '  admin off',
            '  auto_https off',
            '  persist_config off',
            '  log {',
            '    output stderr',
            '    level ERROR',
            '  }',
            '  frankenphp {',
            '    num_threads ' . $this->threads + (int) $this->worker,
            ...array_map(
                static fn (string $name, string $value): string => "    php_ini $name " . self::quoted($value),
                array_keys($settings),
                $settings,
            ),
            ...($this->worker ? $this->workerBlock() : []),
            '  }',
            '}',
            "http://127.0.0.1:$port {",
            '  bind 127.0.0.1',
            '  route {',
            '    rewrite ' . basename($this->script),
            '    php {',
            '      root ' . self::quoted(dirname($this->script)),
            '    }',
            '  }',
            '}',
            '',
        ]);
    }

    /** @return list<string> */
    private function workerBlock(): array
    {
        $lines = ['    worker {', '      file ' . self::quoted($this->script), "      num $this->threads"];
        foreach ($this->environment as $name => $value) {
            $lines[] = "      env $name " . self::quoted($value);
        }

        return [...$lines, '    }'];
    }

    /** A token of a Caddyfile. */
    private static function quoted(string $text): string
    {
        return '"' . str_replace('"', '\"', $text) . '"';
    }
}
