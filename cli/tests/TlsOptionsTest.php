<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Listen;
use Howdah\Cli\Nginx;
use Howdah\Cli\Tls\TlsFiles;
use PHPUnit\Framework\Attributes\TestWith;

/** --tls, --tls-certificate, --tls-key, and what they make of nginx's configuration. */
final class TlsOptionsTest extends CliTestCase
{
    #[TestWith(['', 'http://127.0.0.1:8080'], 'nothing')]
    #[TestWith(['--tls', 'https://127.0.0.1:8443'], '--tls')]
    #[TestWith(['--tls --port=8000', 'https://127.0.0.1:8000'], 'a port')]
    #[TestWith(['--tls --listen=[::1]:443', 'https://[::1]:443'], 'an address')]
    #[TestWith(['--tls --host=localhost', 'https://localhost:8443'], 'a name')]
    #[TestWith(['--tls-certificate=a --tls-key=b', 'https://127.0.0.1:8443'], 'files')]
    public function test_the_address_says_it(string $options, string $url): void
    {
        self::assertSame($url, $this->options($options)->listen->toUrl());
    }

    public function test_the_next_port_speaks_it_too(): void
    {
        $taken = stream_socket_server('tcp://127.0.0.1:0');
        self::assertNotFalse($taken);
        $listen = Listen::parse((string) stream_socket_get_name($taken, false))->withTls()->orNext();

        self::assertStringStartsWith('https://', $listen->free()->toUrl());
        self::assertNotSame($listen->toUrl(), $listen->free()->toUrl());
    }

    #[TestWith(['--tls-key=FILE', '--tls-key needs --tls-certificate=FILE, too'], 'no certificate')]
    #[TestWith(['--tls --tls-certificate=FILE', '--tls-certificate needs --tls-key=FILE, too'], 'no key')]
    #[TestWith(['--tls-certificate=FILE --tls-key=', '--tls-key= is empty'], 'an empty key')]
    #[TestWith(['--tls --listen=unix:/run/a.sock', '--tls and a Unix socket, unix:/run/a.sock: '], 'a socket')]
    public function test_a_mistake_is_named(string $options, string $message): void
    {
        self::assertStringContainsString($message, $this->failure(fn () => $this->options($options)));
    }

    #[TestWith(['1.22.1', '--with-http_ssl_module --with-http_v2_module', 'listen 127.0.0.1:8443 ssl http2;'], '1.22')]
    #[TestWith(['1.25.0', '--with-http_ssl_module --with-http_v2_module', 'listen 127.0.0.1:8443 ssl http2;'], '1.25.0')]
    #[TestWith(['1.26.3', '--with-http_ssl_module --with-http_v2_module', "listen 127.0.0.1:8443 ssl;\nhttp2 on;"], '1.26')]
    #[TestWith(['1.26.3', '--with-http_ssl_module', "listen 127.0.0.1:8443 ssl;\nssl_certificate \"/c\";"], 'no HTTP/2')]
    public function test_http_2_is_said_as_this_nginx_wants_it(string $version, string $modules, string $lines): void
    {
        $nginx = $this->nginx($version, $modules);
        $text = implode("\n", (new TlsFiles('/c', '/k'))->lines('127.0.0.1:8443', $nginx));

        self::assertSame("$lines\n", substr("$text\n", 0, strlen($lines) + 1));
        self::assertStringContainsString("ssl_protocols TLSv1.2 TLSv1.3;\n", $text);
    }

    public function test_an_nginx_without_tls_is_refused(): void
    {
        $nginx = $this->nginx('1.26.3', '--with-http_v2_module');
        $options = $this->options('--tls');

        $message = $this->failure(static fn () => $options->tls->files($options->listen, $nginx));

        self::assertStringStartsWith("TLS needs nginx's module ssl, which {$nginx->path} was built without", $message);
    }

    public function test_a_path_that_nginx_would_not_take_as_it_is_is_refused(): void
    {
        $message = $this->failure(static fn () => new TlsFiles('/srv/$name/cert.pem', '/k'));

        self::assertStringContainsString('/srv/$name/cert.pem: move the file', $message);
    }

    private function nginx(string $version, string $modules): Nginx
    {
        $folder = $this->project(['nginx' => "#!/bin/sh\necho nginx version: nginx/$version >&2\n"
            . "echo configure arguments: $modules >&2\n"]);
        chmod("$folder/nginx", 0755);
        $path = (string) getenv('PATH');
        putenv("PATH=$folder:$path");
        try {
            return Nginx::find();
        } finally {
            putenv("PATH=$path");
        }
    }
}
