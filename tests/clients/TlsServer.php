<?php

declare(strict_types=1);

namespace Howdah\ClientTests;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Certificate;
use Howdah\WaitingTests\Daemon;

/** An nginx with a configuration of its own: TLS, HTTP/2, HTTP/3 where nginx has it, one worker process; /classic/ and /worker/ are the application in both modes. */
final class TlsServer
{
    public readonly int $port;
    private readonly Daemon $nginx;

    public function __construct(string $app)
    {
        $this->port = Server::freePort();
        $this->nginx = new Daemon('clients');
        $folder = $this->nginx->folder;
        Certificate::write($folder);
        $temporary = '';
        foreach (['client_body', 'fastcgi', 'proxy', 'uwsgi', 'scgi'] as $kind) {
            $temporary .= "{$kind}_temp_path $folder/$kind; ";
        }
        $quic = self::hasQuic() ? "listen 127.0.0.1:$this->port quic;" : '';
        $user = posix_geteuid() === 0 ? 'user root;' : '';
        $module = dirname(__DIR__, 2) . '/build/ngx_http_howdah_module.so';
        file_put_contents("$folder/nginx.conf", <<<NGINX
            load_module $module;
            $user
            worker_processes 1;
            daemon off;
            error_log stderr notice;
            pid $folder/pid;
            events { worker_connections 1024; }
            http {
                access_log off;
                client_max_body_size 0;
                keepalive_requests 1000000;
                $temporary
                howdah_ini "post_max_size=64M";
                howdah_ini "upload_max_filesize=64M";
                server {
                    listen 127.0.0.1:$this->port ssl http2;
                    $quic
                    ssl_certificate $folder/server.crt;
                    ssl_certificate_key $folder/server.key;
                    root $app/public;
                    howdah_client_abort cancel;
                    location /classic/ {
                        rewrite ^/classic(/.*)$ $1 break;
                        howdah_pass classic $app/public/index.php;
                    }
                    location /worker/ {
                        rewrite ^/worker(/.*)$ $1 break;
                        howdah_pass worker $app/worker.php;
                    }
                }
            }

            NGINX);
        $this->nginx->start(
            ['nginx', '-p', $folder, '-e', 'stderr', '-c', "$folder/nginx.conf"],
            // nginx writes it when the last of its sockets listens.
            fn (): bool => trim((string) @file_get_contents("$folder/pid")) === (string) $this->nginx->pid(),
        );
    }

    /** Debian 13's has, Debian 12's has not. */
    public static function hasQuic(): bool
    {
        exec('nginx -V 2>&1', $lines);

        return str_contains(implode($lines), '--with-http_v3_module');
    }

    public function url(string $mode, string $uri): string
    {
        return "https://localhost:$this->port/$mode$uri";
    }

    /** The file that vouches for it. */
    public function certificate(): string
    {
        return "{$this->nginx->folder}/server.crt";
    }

    public function log(): string
    {
        return $this->nginx->log();
    }

    public function stop(): void
    {
        $this->nginx->remove();
    }
}
