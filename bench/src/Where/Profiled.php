<?php

declare(strict_types=1);

namespace Howdah\Bench\Where;

use Howdah\Bench\Machine\Process;
use Howdah\Bench\Server\Realms;
use Howdah\Bench\Server\Running;
use Howdah\Cli\Failure;
use Howdah\Cli\Nginx;
use Howdah\Cli\Program;
use Howdah\Cli\RuntimeFolder;

/** One nginx with one worker under callgrind, which counts between begin() and end(). */
final class Profiled extends Running
{
    private string $profile = '';

    public function __construct(
        private readonly string $valgrind,
        private readonly Nginx $nginx,
        private readonly Realms $content,
    ) {
    }

    protected function launch(RuntimeFolder $folder, int $port): array
    {
        $folder->write('nginx.conf', implode("\n", [
            ...$this->content->main(),
            ...(posix_geteuid() === 0 ? ['user root;'] : []),
            'daemon off;',
            'pid nginx.pid;',
            'error_log stderr warn;',
            // vgdb finds no process that a process under valgrind has made.
            'master_process off;',
            'events { worker_connections 1024; multi_accept on; }',
            'http {',
            // Time is fifty times as slow there: a slice would end within each request.
            '    howdah_slice 10s;',
            '    access_log off;',
            '    keepalive_timeout 600s;',
            "    server { listen 127.0.0.1:$port; location / {",
            ...$this->content->location(),
            '    } }',
            '}',
            '',
        ]));
        $this->profile = "$folder->path/callgrind.out";

        return [Process::start('nginx', [
            $this->valgrind,
            '--tool=callgrind',
            "--callgrind-out-file=$this->profile.%p",
            $this->nginx->path,
            ...$this->nginx->start($folder),
        ], $folder)];
    }

    public function begin(): void
    {
        $this->tell('zero');
    }

    public function end(): Profile
    {
        $worker = $this->worker();
        $this->tell('dump', 'counted');

        return Profile::read("$this->profile.$worker.1");
    }

    private function worker(): int
    {
        return max([0, ...$this->processes()]);
    }

    private function tell(string ...$words): void
    {
        $vgdb = dirname((string) realpath($this->valgrind)) . '/vgdb';
        $told = Program::run([$vgdb, "--pid={$this->worker()}", ...array_values($words)]);
        if ($told->status !== 0) {
            throw new Failure("vgdb ended with exit status $told->status: $told->output $told->errors");
        }
    }
}
