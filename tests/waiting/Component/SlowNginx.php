<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Component;
use Howdah\WaitingTests\Components;
use Howdah\WaitingTests\Daemon;

/** HTTPS and HTTP/2 in front of SlowPeer, with its certificate. */
final class SlowNginx implements Component
{
    private readonly Daemon $daemon;
    private int $port = 0;

    public function __construct()
    {
        $this->daemon = new Daemon('nginx');
    }

    public function start(): void
    {
        $peer = Components::get(SlowPeer::class)->settings();
        $folder = $this->daemon->folder;
        $this->port = Server::freePort();
        file_put_contents("$folder/nginx.conf", <<<NGINX
            daemon off;
            master_process off;
            pid $folder/pid;
            error_log stderr;
            events {}
            http {
              access_log off;
              client_body_temp_path $folder/body;
              proxy_temp_path $folder/proxy;
              fastcgi_temp_path $folder/fastcgi;
              uwsgi_temp_path $folder/uwsgi;
              scgi_temp_path $folder/scgi;
              server {
                listen 127.0.0.1:{$this->port} ssl http2;
                ssl_certificate {$peer['certificate']};
                ssl_certificate_key {$peer['key']};
                location / {
                  proxy_pass http://127.0.0.1:{$peer['tcp']};
                  proxy_buffering off;
                }
              }
            }
            NGINX);
        $this->daemon->start(
            ['nginx', '-p', $folder, '-c', "$folder/nginx.conf", '-e', 'stderr'],
            fn (): bool => @stream_socket_client("tcp://127.0.0.1:{$this->port}", $code, $message, 1) !== false,
        );
    }

    public function settings(): array
    {
        return ['port' => (string) $this->port];
    }

    public function stop(): void
    {
        $this->daemon->remove();
    }
}
