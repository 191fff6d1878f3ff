<?php

declare(strict_types=1);

namespace Howdah\Bench\Server;

use Howdah\Bench\Machine\Process;
use Howdah\Bench\Machine\Tools;
use Howdah\Cli\NginxString;
use Howdah\Cli\RuntimeFolder;

/**
 * PHP in processes of its own: php-fpm behind a Unix socket, with a fixed number of children and with the php.ini and the
 * extensions that Howdah's PHP reads (the embed SAPI's), not with its own.
 */
final readonly class Fpm implements Content
{
    public const SOCKET = 'fpm.sock';

    /** What Howdah sets over php.ini (engine/engine.c); Suite\Settings notices when this list falls behind. */
    private const INI = [
        'opcache.force_restart_timeout=2147483647',
        'register_argc_argv=0',
    ];

    /** As Debian's fastcgi_params, but for the script: it is always the application's front script. */
    private const PARAMETERS = [
        'QUERY_STRING' => '$query_string',
        'REQUEST_METHOD' => '$request_method',
        'CONTENT_TYPE' => '$content_type',
        'CONTENT_LENGTH' => '$content_length',
        'REQUEST_URI' => '$request_uri',
        'DOCUMENT_URI' => '$document_uri',
        'DOCUMENT_ROOT' => '$document_root',
        'SERVER_PROTOCOL' => '$server_protocol',
        'REQUEST_SCHEME' => '$scheme',
        'HTTPS' => '$https if_not_empty',
        'GATEWAY_INTERFACE' => 'CGI/1.1',
        'SERVER_SOFTWARE' => 'nginx/$nginx_version',
        'REMOTE_ADDR' => '$remote_addr',
        'REMOTE_PORT' => '$remote_port',
        'REMOTE_USER' => '$remote_user',
        'SERVER_ADDR' => '$server_addr',
        'SERVER_PORT' => '$server_port',
        'SERVER_NAME' => '$server_name',
        'REDIRECT_STATUS' => '200',
    ];

    public function __construct(private Tools $tools, private Application $application, private int $children)
    {
    }

    public function main(): array
    {
        return [];
    }

    public function location(): array
    {
        return [
            'root ' . NginxString::literal($this->application->root) . ';',
            ...self::parameters(),
            'fastcgi_param SCRIPT_FILENAME ' . NginxString::literal($this->application->front) . ';',
            "fastcgi_param SCRIPT_NAME {$this->application->scriptName()};",
            'fastcgi_pass unix:' . self::SOCKET . ';',
        ];
    }

    /** @return list<string> what nginx tells of a request, whoever is asked by FastCGI */
    public static function parameters(): array
    {
        $line = static fn (string $name, string $value): string => "fastcgi_param $name $value;";

        return array_map($line, array_keys(self::PARAMETERS), self::PARAMETERS);
    }

    public function start(RuntimeFolder $folder): Process
    {
        $folder->write('fpm.conf', implode("\n", [
            '[global]',
            'daemonize = no',
            "error_log = $folder->path/fpm.log",
            'log_level = warning',
            '[bench]',
            ...$this->user(),
            "listen = $folder->path/" . self::SOCKET,
            // Apache's processes are another user's where we are root.
            'listen.mode = 0666',
            // For more connections than children: they wait there, not in error messages.
            'listen.backlog = 4096',
            'pm = static',
            "pm.max_children = $this->children",
            '',
        ]));
        $ini = (string) $this->tools->php->ini;
        $overrides = array_merge(...array_map(fn (string $one) => ['-d', $one], self::INI));

        return Process::start(
            'fpm',
            [
                $this->tools->fpm,
                '--nodaemonize',
                '-R',
                '-c',
                $ini,
                ...$overrides,
                '-p',
                $folder->path,
                '-y',
                "$folder->path/fpm.conf",
            ],
            $folder,
            ['PHP_INI_SCAN_DIR' => $this->tools->scan($folder)],
        );
    }

    /** @return list<string> we: as nginx's workers here, so that nobody has an easier life with files */
    private function user(): array
    {
        return posix_geteuid() === 0 ? ['user = root', 'group = root'] : [];
    }
}
