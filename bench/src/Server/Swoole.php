<?php

declare(strict_types=1);

namespace Howdah\Bench\Server;

use Howdah\Bench\Machine\Process;
use Howdah\Bench\Machine\Tools;
use Howdah\Cli\Program;
use Howdah\Cli\RuntimeFolder;

/**
 * Swoole's own HTTP server with one worker, where its extension is: Debian has no package of it. HOWDAH_BENCH_SWOOLE names its
 * swoole.so when no php.ini does.
 */
final class Swoole extends Running
{
    private function __construct(private readonly Tools $tools, private readonly string $script, private readonly string $mode)
    {
    }

    /** All in one process: what its documentation calls the fastest. */
    public static function base(Tools $tools, string $script): self
    {
        return new self($tools, $script, 'base');
    }

    /** Its default: a process that has the connections, and the worker. */
    public static function process(Tools $tools, string $script): self
    {
        return new self($tools, $script, 'process');
    }

    public function missing(): ?string
    {
        $asked = Program::run([...$this->php(), '-r', 'exit(extension_loaded("swoole") ? 0 : 1);']);

        return $asked->status === 0 ? null
            : "PHP {$this->tools->php->series()} has no extension swoole, and HOWDAH_BENCH_SWOOLE names none that it can load";
    }

    protected function launch(RuntimeFolder $folder, int $port): array
    {
        $command = [...$this->php(), $this->script, (string) $port, $this->mode];

        return [Process::start('swoole', $command, $folder, $this->scan())];
    }

    /** @return list<string> PHP with the settings that Howdah's PHP has */
    private function php(): array
    {
        $extension = getenv('HOWDAH_BENCH_SWOOLE');
        $binary = Program::find("php{$this->tools->php->series()}") ?? PHP_BINARY;

        return [
            $binary,
            ...($extension === false || $extension === '' ? [] : ['-d', "extension=$extension"]),
            '-c',
            (string) $this->tools->php->ini,
            '-d',
            'opcache.enable_cli=1',
        ];
    }

    /** @return array<string, string> */
    private function scan(): array
    {
        return ['PHP_INI_SCAN_DIR' => dirname((string) $this->tools->php->ini) . '/conf.d'];
    }
}
