<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Howdah\Cli\Control\Master;
use Howdah\Cli\Tls\TlsFiles;

/**
 * nginx's configuration for one project.
 *
 * Relative paths in it are below nginx's prefix and its working folder, which Server makes the runtime folder: so the text is
 * the same whether it is printed or served.
 */
final readonly class NginxConfig
{
    public const CONTROL_SOCKET = 'control.sock';
    public const PID_FILE = 'nginx.pid';

    /** On the control socket, where files are watched: they were saved. */
    public const RENEWAL = '/renew';

    /** No event stream: it would be held back until there is enough of it to compress. */
    private const GZIP = [
        'gzip on;',
        'gzip_proxied any;',
        'gzip_vary on;',
        'gzip_min_length 1000;',
        'gzip_types text/css text/plain text/javascript application/javascript application/json application/manifest+json'
            . ' application/xml application/rss+xml application/atom+xml image/svg+xml application/wasm;',
    ];

    private Addresses $addresses;

    /**
     * @param bool $supervised by a command, which asks whether a worker is there
     * @param string|null $livePage the file of the live page; null: there is none
     * @param int  $number     that its workers answer with: of the configuration, where a reload gives nginx another one
     */
    public function __construct(
        private Project $project,
        private ServeOptions $options,
        private string $module,
        private Nginx $nginx,
        private BodyLimits $bodies,
        private ?Watch $watch = null,
        private bool $supervised = false,
        private int $number = 0,
        ?Protection $protection = null,
        private ?TlsFiles $tls = null,
        private ?string $livePage = null,
    ) {
        $this->addresses = new Addresses($project, $options, $protection ?? new Protection($project));
    }

    public function render(): string
    {
        return implode("\n", [
            "# Made by howdah {$this->version()} for " . $this->comment($this->project->root) . '. Relative paths are below the'
                . ' folder given to nginx with -p.',
            'load_module ' . NginxString::literal($this->module) . ';',
            ...$this->process(),
            '',
            ...$this->events(),
            '',
            'http {',
            ...$this->indent([
                ...$this->http(),
                '',
                ...$this->php(),
                '',
                ...$this->addresses->maps(),
                ...($this->tls?->maps($this->options->listen) ?? []),
                ...($this->livePage === null ? [] : $this->options->livePage->maps()),
                ...($this->supervised ? [...$this->control(), ''] : []),
                ...($this->options->statusAddress?->lines() ?? []),
                ...$this->server(),
            ]),
            '}',
            '',
        ]);
    }

    private function version(): string
    {
        return Installation::VERSION;
    }

    /** @return list<string> */
    private function process(): array
    {
        $lines = [
            'daemon off;',
            '# Each file that is sent is looked up among those that are not published.',
            'pcre_jit on;',
            'pid ' . self::PID_FILE . ';',
            '# nginx tells what it does at its start as notices; applications log notices too: see http.',
            'error_log stderr warn;',
            // Why a reload failed.
            ...($this->supervised ? ['error_log ' . Master::ERRORS . ' error;'] : []),
            "worker_processes {$this->options->workers};",
            '# Where shutdown functions and destructors find themselves, as under php-fpm that systemd starts.',
            'working_directory /;',
            'worker_rlimit_nofile ' . self::descriptors() . ';',
        ];
        if ($this->options->stopTimeout > 0) {
            $lines[] = "worker_shutdown_timeout {$this->options->stopTimeout}s;";
        }
        if (posix_geteuid() === 0) {
            if ($this->options->user === null) {
                $lines[] = '# The application runs as root: --user= names another user.';
            }
            $lines[] = 'user ' . ($this->options->user ?? 'root') . ';';
        }

        return [...$lines, ...(new Environment($this->options, $this->project->environment))->lines()];
    }

    /** @return list<string> */
    private function events(): array
    {
        return [
            'events {',
            '    worker_connections ' . self::connections() . ';',
            // A turn of the loop lasts as long as the PHP in it: new clients must not wait a turn each.
            '    multi_accept on;',
            '}',
        ];
    }

    /** How many clients a worker takes: half of the descriptors, for an application opens its own in the same process. */
    public static function connections(): int
    {
        return min(8192, intdiv(self::descriptors(), 2));
    }

    /** As many as we may have without being root, up to a bound that is enough for 8192 connections. */
    public static function descriptors(): int
    {
        $limits = posix_getrlimit();
        $hard = $limits === false ? 1024 : $limits['hard openfiles'] ?? 1024;

        return is_int($hard) ? min($hard, 65536) : 65536;
    }

    /** @return list<string> */
    private function http(): array
    {
        $mimeTypes = $this->nginx->mimeTypes();

        return [
            ...($mimeTypes === null ? [] : ['include ' . NginxString::literal($mimeTypes) . ';']),
            'types {',
            '    text/javascript mjs;',
            '    application/manifest+json webmanifest;',
            '}',
            'default_type application/octet-stream;',
            'server_tokens off;',
            'sendfile on;',
            'tcp_nopush on;',
            ...$this->bodies->lines(),
            ...($this->options->gzip ? self::GZIP : []),
            ...$this->options->proxies->lines(),
            ...array_map(
                static fn (string $name): string => "{$name}_temp_path $name;",
                ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'],
            ),
            'error_log stderr notice;',
            ...($this->showsLog() ? ['error_log ' . Master::LOG . ' notice;'] : []),
            ...$this->options->accessLog->lines(),
            ...($this->options->slowLog?->lines() ?? []),
            ...($this->options->tracing?->lines() ?? []),
            '# nginx cannot escape a dollar sign; this is one.',
            'geo $' . NginxString::DOLLAR . ' { default "$"; }',
        ];
    }

    /** @return list<string> */
    private function php(): array
    {
        $adaptive = $this->options->adaptive === 0 ? '' : " adaptive={$this->options->adaptive}";
        $lines = ["howdah_concurrency {$this->options->concurrency}$adaptive;", ...$this->options->pool->directives];
        if ($this->options->requestTimeout > 0) {
            $lines[] = "howdah_request_timeout {$this->options->requestTimeout}s;";
        }
        if ($this->options->phpIni !== null) {
            $lines[] = 'howdah_php_ini ' . NginxString::literal($this->options->phpIni) . ';';
        }
        $development = $this->options->development;
        foreach ([...$development->defaults(), ...$this->options->ini, ...$development->ini()] as $setting) {
            $lines[] = 'howdah_ini ' . NginxString::literal($setting) . ';';
        }
        foreach ($this->options->sharedExtensions as $name) {
            $lines[] = 'howdah_shared_extension ' . NginxString::literal($name) . ';';
        }

        return [...$lines, ...($this->watch === null ? [] : $this->watch->lines())];
    }

    /**
     * Where the command that supervises nginx asks whether a worker is there and has booted; not reachable from outside.
     *
     * @return list<string>
     */
    private function control(): array
    {
        return [
            'server {',
            '    listen unix:' . self::CONTROL_SOCKET . ';',
            '    access_log off;',
            '    default_type text/plain;',
            ...($this->options->development->watches ? ['    location = ' . self::RENEWAL . ' { howdah_renew; }'] : []),
            "    location / { return 200 \"\$howdah_ready {$this->number}\"; }",
            '}',
        ];
    }

    /** @return list<string> */
    private function server(): array
    {
        return [
            'server {',
            ...$this->indent([
                ...($this->tls?->lines($this->listens(), $this->nginx) ?? ["listen {$this->listens()};"]),
                'root ' . NginxString::withoutVariables($this->project->docroot) . ';',
                '# The client may know another port, and another scheme.',
                'absolute_redirect off;',
                '',
                ...$this->options->development->locations(),
                ...($this->livePage === null ? [] : $this->options->livePage->locations(
                    $this->livePage,
                    $this->showsLog() ? Master::LOG : null,
                )),
                ...$this->addresses->locations(),
            ]),
            '}',
        ];
    }

    /** Without a command that supervises nginx nobody would keep that file short, and workers of another user may not read it. */
    private function showsLog(): bool
    {
        return $this->livePage !== null && $this->supervised && $this->options->user === null;
    }

    /** A socket's path begins with a folder's, which may have any name. */
    private function listens(): string
    {
        $address = $this->options->listen->toNginx();

        return str_starts_with($address, 'unix:') ? NginxString::literal($address) : $address;
    }

    private function comment(string $text): string
    {
        return (string) preg_replace('/[^\x20-\x7e\x80-\xff]/', '?', $text);
    }

    /**
     * @param  list<string> $lines
     * @return list<string>
     */
    private function indent(array $lines): array
    {
        return array_map(static fn (string $line): string => $line === '' ? '' : "    $line", $lines);
    }
}
