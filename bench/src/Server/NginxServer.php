<?php

declare(strict_types=1);

namespace Howdah\Bench\Server;

use Howdah\Bench\Machine\Process;
use Howdah\Bench\Machine\Processes;
use Howdah\Cli\Failure;
use Howdah\Cli\Nginx;
use Howdah\Cli\RuntimeFolder;

/** One nginx, with the same settings whatever it answers with. */
final class NginxServer implements Server
{
    private ?RuntimeFolder $folder = null;
    private int $port = 0;

    /** @var list<Process> in the order in which they were started */
    private array $started = [];

    public function __construct(
        private readonly Nginx $nginx,
        private readonly Content $content,
        private readonly int $workers = 1,
    ) {
    }

    public function start(): void
    {
        $this->folder = new RuntimeFolder();
        $this->port = self::freePort();
        $this->folder->write('nginx.conf', $this->configuration());
        $beside = $this->content->start($this->folder);
        if ($beside !== null) {
            $this->started[] = $beside;
        }
        $this->started[] = Process::start(
            'nginx',
            [$this->nginx->path, ...$this->nginx->start($this->folder)],
            $this->folder,
        );
    }

    public function stop(): void
    {
        while (($process = array_pop($this->started)) !== null) {
            $process->stop();
        }
        $this->folder?->remove();
        $this->folder = null;
    }

    public function port(): int
    {
        return $this->port;
    }

    public function processes(): array
    {
        return array_merge(...array_map(fn (Process $one) => Processes::tree($one->id), $this->started));
    }

    public function isRunning(): bool
    {
        foreach ($this->started as $process) {
            if (!$process->isRunning()) {
                return false;
            }
        }

        return $this->started !== [];
    }

    public function complaint(): string
    {
        $said = implode('; ', array_map(fn (Process $one) => $one->complaint(), $this->started));

        return trim($said, '; ') === '' ? 'its log is empty' : "its log ends: $said";
    }

    private function configuration(): string
    {
        $user = posix_geteuid() === 0 ? ['user root;'] : [];

        return implode("\n", [
            ...$this->content->main(),
            ...$user,
            'daemon off;',
            'pid nginx.pid;',
            'error_log stderr warn;',
            "worker_processes $this->workers;",
            'worker_rlimit_nofile 20000;',
            // Else nginx accepts one connection a turn, and a turn is as long as the PHP in it: the last of 64 waited seconds.
            'events { worker_connections 8192; multi_accept on; }',
            'http {',
            '    access_log off;',
            '    server_tokens off;',
            '    keepalive_requests 1000000000;',
            '    keepalive_timeout 600s;',
            '    client_body_temp_path body;',
            '    proxy_temp_path proxy;',
            '    fastcgi_temp_path fastcgi;',
            '    uwsgi_temp_path uwsgi;',
            '    scgi_temp_path scgi;',
            '    server {',
            "        listen 127.0.0.1:$this->port backlog=4096;",
            '        location / {',
            ...array_map(fn (string $line) => "            $line", $this->content->location()),
            '        }',
            '    }',
            '}',
            '',
        ]);
    }

    private static function freePort(): int
    {
        $socket = @stream_socket_server('tcp://127.0.0.1:0');
        if ($socket === false) {
            throw new Failure('no port is free on 127.0.0.1: end some of the programs that listen there');
        }
        $name = (string) stream_socket_get_name($socket, false);

        return (int) substr($name, (int) strrpos($name, ':') + 1);
    }
}
