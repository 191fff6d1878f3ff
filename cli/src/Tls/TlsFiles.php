<?php

declare(strict_types=1);

namespace Howdah\Cli\Tls;

use Howdah\Cli\Failure;
use Howdah\Cli\Listen;
use Howdah\Cli\Nginx;
use Howdah\Cli\NginxString;

/** A certificate and its key, for nginx. They may be in the same file. */
final readonly class TlsFiles
{
    /** With TLS 1.2: only those with forward secrecy and authenticated encryption. TLS 1.3 has no others. */
    private const CIPHERS = [
        'ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384',
        'ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305',
    ];

    /** From here on HTTP/2 is a directive of its own (nginx's CHANGES, 1.25.1); `listen ... http2` is warned of. */
    private const HTTP2_DIRECTIVE = '1.25.1';

    private const HOST = 'howdah_tls_host';

    /**
     * @param list<string> $warnings what may go wrong
     * @param list<string> $notes    what the user should know
     */
    public function __construct(
        public string $certificate,
        public string $key,
        public array $warnings = [],
        public array $notes = [],
    ) {
        foreach ([$certificate, $key] as $path) {
            // With a variable in a path nginx's workers would read the file, at each connection, and may not.
            if (preg_match('/[$\x00-\x1f]/', $path) === 1) {
                throw new Failure("nginx takes no path with a dollar sign or a line break for a certificate or its key, as"
                    . " $path: move the file, or name it through a link");
            }
        }
    }

    /** @return list<string> at the level of http */
    public function maps(Listen $listen): array
    {
        return [
            '# A client of HTTP/1.0 need not say which host it means.',
            'map $http_host $' . self::HOST . ' { "" ' . NginxString::literal($listen->toNginx()) . '; default $http_host; }',
            '',
        ];
    }

    /**
     * @param string $address of nginx's listen, quoted where it has to be
     *
     * @return list<string> of nginx's server block
     */
    public function lines(string $address, Nginx $nginx): array
    {
        $hasHttp2 = $nginx->has('http_v2_module');
        $isDirective = version_compare($nginx->version, self::HTTP2_DIRECTIVE, '>=');

        return [
            "listen $address ssl" . ($hasHttp2 && !$isDirective ? ' http2;' : ';'),
            ...($hasHttp2 && $isDirective ? ['http2 on;'] : []),
            'ssl_certificate ' . NginxString::literal($this->certificate) . ';',
            'ssl_certificate_key ' . NginxString::literal($this->key) . ';',
            'ssl_protocols TLSv1.2 TLSv1.3;',
            'ssl_ciphers ' . implode(':', self::CIPHERS) . ';',
            '# Clients know best which of them is fast for them.',
            'ssl_prefer_server_ciphers off;',
            'ssl_session_cache shared:howdah_tls:10m;',
            'ssl_session_timeout 1d;',
            '# Their key would be the same until the next reload.',
            'ssl_session_tickets off;',
            '# Plain HTTP on this port: the same address with https. Browsers would remember a 301 for ever.',
            'error_page 497 =307 https://$' . self::HOST . '$request_uri;',
        ];
    }
}
