<?php

declare(strict_types=1);

namespace Howdah\Bench\Server;

use Howdah\Bench\Machine\Extension;
use Howdah\Bench\Machine\PhpProgram;
use Howdah\Bench\Machine\Process;
use Howdah\Bench\Machine\Tools;
use Howdah\Cli\RuntimeFolder;

/**
 * Swoole's own HTTP server, where its extension is: Debian has no package of it. HOWDAH_BENCH_SWOOLE names its
 * swoole.so when no php.ini does.
 */
final class Swoole extends Running
{
    public const PHP = 'Swoole';

    private readonly PhpProgram $php;

    private function __construct(
        Tools $tools,
        private readonly string $script,
        private readonly string $mode,
        private readonly int $workers = 1,
    ) {
        $this->php = new PhpProgram($tools);
    }

    /**
     * All in one process: what its documentation calls the fastest.
     *
     * @param int $workers processes of it; each answers one request at a time where the script has no coroutines
     */
    public static function base(Tools $tools, string $script, int $workers = 1): self
    {
        return new self($tools, $script, 'base', $workers);
    }

    /** Its default: a process that has the connections, and the worker. */
    public static function process(Tools $tools, string $script): self
    {
        return new self($tools, $script, 'process');
    }

    public function php(): string
    {
        return self::PHP;
    }

    public function missing(): ?string
    {
        return $this->php->missing(Extension::Swoole);
    }

    protected function launch(RuntimeFolder $folder, int $port): array
    {
        $command = [$this->php->path(), $this->script, (string) $port, $this->mode, (string) $this->workers];

        return [Process::start('swoole', $command, $folder, $this->php->environment($folder, Extension::Swoole))];
    }
}
