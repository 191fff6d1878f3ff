<?php

declare(strict_types=1);

namespace Howdah\Bench\Server;

use Howdah\Bench\Machine\Process;
use Howdah\Bench\Machine\Tools;
use Howdah\Cli\RuntimeFolder;

/** One nginx, with the same settings whatever it answers with. */
final class NginxServer extends Running
{
    public function __construct(
        private readonly Tools $tools,
        private readonly Content $content,
        private readonly int $workers = 1,
        /** A Unix socket's path, for HTTP/2 without TLS. */
        private readonly ?string $http2 = null,
        /** Whose PHP it is, where it is none of ours; it may not be here. */
        private readonly ?Running $peer = null,
    ) {
    }

    public function php(): ?string
    {
        return $this->peer?->php();
    }

    public function missing(): ?string
    {
        return $this->peer?->missing();
    }

    protected function workers(): int
    {
        return $this->workers;
    }

    protected function launch(RuntimeFolder $folder, int $port): array
    {
        $folder->write('nginx.conf', $this->configuration($port));
        $beside = $this->content->start($folder);
        // PHP in nginx's workers is started by nginx, and reads its settings as any.
        $ini = $this->tools->ini === [] ? [] : ['PHP_INI_SCAN_DIR' => $this->tools->scan($folder)];
        $nginx = $this->tools->nginx;
        $nginx = Process::start('nginx', [$nginx->path, ...$nginx->start($folder)], $folder, $ini);

        return $beside === null ? [$nginx] : [$beside, $nginx];
    }

    private function configuration(int $port): string
    {
        // Else the first worker to wake up accepts all of the load generator's connections.
        $shared = $this->workers > 1 ? ' reuseport' : '';
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
            // As many as `howdah serve` gives nginx, which sets 424 bytes aside for each: 3.5 MB of what memory-* measures.
            'events { worker_connections 8192; multi_accept on; }',
            'http {',
            '    access_log off;',
            '    server_tokens off;',
            '    keepalive_requests 1000000000;',
            '    keepalive_timeout 600s;',
            // PHP's settings limit bodies.
            '    client_max_body_size 0;',
            '    client_body_temp_path body;',
            '    proxy_temp_path proxy;',
            '    fastcgi_temp_path fastcgi;',
            '    uwsgi_temp_path uwsgi;',
            '    scgi_temp_path scgi;',
            '    server {',
            "        listen 127.0.0.1:$port backlog=4096$shared;",
            ...($this->http2 === null ? [] : ["        listen unix:$this->http2 http2;"]),
            '        location / {',
            ...array_map(fn (string $line) => "            $line", $this->content->location()),
            '        }',
            '    }',
            '}',
            '',
        ]);
    }
}
