<?php

declare(strict_types=1);

namespace Howdah\Bench\Server;

use Howdah\Bench\Machine\Process;
use Howdah\Bench\Machine\Tools;
use Howdah\Cli\Program;
use Howdah\Cli\RuntimeFolder;

/**
 * Debian's Apache with a configuration of ours, on a port of ours: with mod_php, which needs prefork, or in front of php-fpm.
 *
 * A process of prefork has one connection for as long as it is kept alive: with fewer processes than connections the others
 * starve. So mod_php has as many processes as there are connections, which the name of the contender has to say.
 */
final class Apache extends Running
{
    public const PHP = 'Apache mod_php';

    /** With mod_php, where a process has a connection: with a thousand it would be the machine that is measured. */
    public const MOST_PROCESSES = 100;

    private const MODULES = '/usr/lib/apache2/modules';

    private function __construct(
        private readonly Tools $tools,
        private readonly Application $application,
        private readonly int $workers,
        private readonly ?Fpm $fpm,
    ) {
    }

    public static function modPhp(Tools $tools, Application $application, int $processes): self
    {
        return new self($tools, $application, $processes, null);
    }

    /** @param int $threads as many as connections: with fewer, Apache closes some that are kept alive when all are busy */
    public static function fpm(Tools $tools, Application $application, int $children, int $threads): self
    {
        return new self($tools, $application, $threads, new Fpm($tools, $application, $children));
    }

    public function php(): ?string
    {
        return $this->fpm === null ? self::PHP : null;
    }

    public function missing(): ?string
    {
        if (Program::find('apache2') === null) {
            return 'apache2 is not installed (packaging/deps bench)';
        }
        foreach ($this->modules() as $file) {
            if (!is_file(self::MODULES . "/$file")) {
                return self::MODULES . "/$file is not installed (packaging/deps bench)";
            }
        }

        return null;
    }

    protected function launch(RuntimeFolder $folder, int $port): array
    {
        $folder->write('apache.conf', $this->configuration($folder, $port));
        $fpm = $this->fpm?->start($folder);
        $this->awaitSocket($fpm, $folder);
        $apache = Process::start(
            'apache',
            [...$this->privileges(), (string) Program::find('apache2'), '-DFOREGROUND', '-f', "$folder->path/apache.conf"],
            $folder,
            ['PHP_INI_SCAN_DIR' => $this->tools->scan($folder)],
        );

        return $fpm === null ? [$apache] : [$fpm, $apache];
    }

    /** One who cannot connect answers 503 for a while. */
    private function awaitSocket(?Process $fpm, RuntimeFolder $folder): void
    {
        while ($fpm !== null && $fpm->isRunning() && !$folder->has(Fpm::SOCKET)) {
            usleep(10_000);
        }
    }

    /**
     * Apache refuses to serve as root, as nginx and php-fpm do here; so its processes keep root's capabilities when they become
     * another user: nobody has an easier life with files.
     *
     * @return list<string>
     */
    private function privileges(): array
    {
        return posix_geteuid() === 0 ? [(string) Program::find('setpriv'), '--securebits=+no_setuid_fixup'] : [];
    }

    /** @return array<string, string> file names by Apache's names for them */
    private function modules(): array
    {
        return ['authz_core_module' => 'mod_authz_core.so', 'dir_module' => 'mod_dir.so'] + (
            $this->fpm === null
            ? ['mpm_prefork_module' => 'mod_mpm_prefork.so', 'php_module' => "libphp{$this->tools->php->series()}.so"]
            : [
                'mpm_event_module' => 'mod_mpm_event.so',
                'proxy_module' => 'mod_proxy.so',
                'proxy_fcgi_module' => 'mod_proxy_fcgi.so',
            ]
        );
    }

    private function configuration(RuntimeFolder $folder, int $port): string
    {
        $modules = $this->modules();
        $front = $this->application->scriptName();

        return implode("\n", [
            ...array_map(
                static fn (string $name, string $file) => "LoadModule $name " . self::MODULES . "/$file",
                array_keys($modules),
                $modules,
            ),
            "ServerRoot $folder->path",
            'ServerName 127.0.0.1',
            "PidFile $folder->path/apache.pid",
            "DefaultRuntimeDir $folder->path",
            'ErrorLog /dev/stderr',
            'LogLevel warn',
            'ServerTokens Prod',
            "Listen 127.0.0.1:$port",
            'ListenBacklog 4096',
            'KeepAlive On',
            'MaxKeepAliveRequests 0',
            'KeepAliveTimeout 600',
            'Timeout 600',
            'EnableSendfile Off',
            "DocumentRoot {$this->application->root}",
            ...(posix_geteuid() === 0 ? ['User www-data', 'Group www-data'] : []),
            ...$this->processing(),
            "<Directory \"{$this->application->root}\">",
            '  Require all granted',
            '  AllowOverride None',
            // What is no file is the front script's, as in nginx's one location.
            "  DirectoryIndex $front",
            "  FallbackResource $front",
            '</Directory>',
            '<FilesMatch "\.php$">',
            $this->fpm === null
                ? '  SetHandler application/x-httpd-php'
                : "  SetHandler \"proxy:unix:$folder->path/" . Fpm::SOCKET . "|fcgi://localhost/\"",
            '</FilesMatch>',
            '',
        ]);
    }

    /** @return list<string> */
    private function processing(): array
    {
        if ($this->fpm === null) {
            return [
                'PHPIniDir ' . $this->tools->php->ini,
                "StartServers $this->workers",
                "MinSpareServers $this->workers",
                "MaxSpareServers $this->workers",
                "ServerLimit $this->workers",
                "MaxRequestWorkers $this->workers",
                'MaxConnectionsPerChild 0',
            ];
        }

        return [
            'StartServers 1',
            'ServerLimit 1',
            "ThreadLimit $this->workers",
            "ThreadsPerChild $this->workers",
            "MinSpareThreads $this->workers",
            "MaxSpareThreads $this->workers",
            "MaxRequestWorkers $this->workers",
            'MaxConnectionsPerChild 0',
        ];
    }
}
