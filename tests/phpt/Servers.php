<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** nginx with php-fpm, and nginx with Howdah: the same site, the same settings of PHP. */
final class Servers
{
    private const SCRIPT = '$document_root$fastcgi_script_name';

    /** @var array<string, Server> */
    private array $running = [];
    private readonly bool $isRoot;

    /**
     * @param array<string, string> $settings    of PHP
     * @param array<string, string> $environment
     * @param ?string               $worker      the script that includes the tests, in both servers
     */
    public function __construct(
        private readonly string $folder,
        private readonly string $module,
        private readonly Machine $machine,
        private readonly Served $site,
        private readonly array $settings,
        private readonly array $environment,
        private readonly int $atOnce,
        private readonly ?string $worker = null,
    ) {
        $this->isRoot = posix_geteuid() === 0;
    }

    /**
     * php-fpm keeps what PHP_VALUE has set for the rest of a child's life: scripts with settings have children for one request.
     *
     * @return int the port
     */
    public function startFpm(): int
    {
        $user = $this->isRoot ? "user = root\ngroup = root\n" : '';
        $script = $this->worker === null ? '%f' : '%{PHPT_SCRIPT}e';
        $pools = '';
        foreach (['many' => 0, 'one' => 1] as $name => $requests) {
            $pools .= "[$name]\n{$user}listen = $this->folder/$name.sock\npm = static\npm.max_children = $this->atOnce\n"
                . "pm.max_requests = $requests\nclear_env = no\ncatch_workers_output = no\nrequest_terminate_timeout = 90\n"
                . "access.log = {$this->accessLog()}\naccess.format = $script\n";
        }
        file_put_contents("$this->folder/fpm.conf", "[global]\nerror_log = $this->folder/fpm.log\ndaemonize = no\n$pools");
        $command = [$this->machine->fpm, '-F', '-y', "$this->folder/fpm.conf", ...($this->isRoot ? ['-R'] : [])];
        foreach ($this->settings as $name => $value) {
            array_push($command, '-d', "$name=$value");
        }
        $this->start('fpm', $command)->awaitReady(fn (): bool => file_exists("$this->folder/one.sock"));

        return $this->startNginxOfFpm('fpm-nginx', static fn (bool $own): string => $own ? 'one' : 'many');
    }

    /**
     * A second nginx for the php-fpm that runs: each script has a new child.
     *
     * @return int the port
     */
    public function startNewFpm(): int
    {
        return $this->startNginxOfFpm('fpm-new', static fn (): string => 'one');
    }

    /** @param callable(bool): string $pool */
    private function startNginxOfFpm(string $name, callable $pool): int
    {
        $script = $this->worker === null ? self::SCRIPT : "$this->worker; fastcgi_param PHPT_SCRIPT " . self::SCRIPT;
        $pass = fn (bool $own): string => "fastcgi_pass unix:$this->folder/{$pool($own)}.sock;"
            . " include /etc/nginx/fastcgi_params; fastcgi_param SCRIPT_FILENAME $script;";
        $buffers = '  fastcgi_buffers 64 64k; fastcgi_buffer_size 64k; fastcgi_busy_buffers_size 128k;';
        $wait = ' fastcgi_read_timeout 100s;';

        return $this->startNginx($name, '', "$buffers$wait\n", $pass, 'fastcgi_param');
    }

    /**
     * @param ?string $audit    the audit's report
     * @param int     $requests each realm serves; 0: all
     *
     * @return int the port
     */
    public function startHowdah(string $name, int $chaos, ?string $audit = null, int $requests = 0): int
    {
        $directives = '';
        foreach ($this->settings as $setting => $value) {
            $directives .= "  howdah_ini \"$setting=$value\";\n";
        }
        $directives .= "  howdah_concurrency $this->atOnce; howdah_queue 10000; howdah_request_timeout 700s;\n"
            . "  howdah_max_requests $requests;\n";
        $directives .= $chaos === 0 ? '' : "  howdah_chaos $chaos;\n";
        $directives .= $audit === null ? '' : "  howdah_audit $audit;\n";
        $directives .= $this->worker === null ? '' : "  howdah_rewind on; add_header X-Realm \$howdah_realm always;\n";
        $pass = fn (): string => $this->worker === null
            ? 'howdah_pass classic ' . self::SCRIPT . ';'
            : "howdah_pass worker $this->worker; howdah_param PHPT_SCRIPT " . self::SCRIPT . ';';

        return $this->startNginx($name, "load_module $this->module;\n", $directives, $pass, 'howdah_param');
    }

    /**
     * A child writes its line when a script has ended: those that have none ended their child. nginx does not tell,
     * for an answer that had begun looks whole.
     *
     * @return array<string, true> the paths of scripts below the root
     */
    public function survivedByFpm(): array
    {
        $lines = file($this->accessLog(), FILE_IGNORE_NEW_LINES) ?: throw new Failure('php-fpm has written no access log');
        $root = strlen($this->site->root()) + 1;

        $paths = array_map(static fn (string $line): string => substr($line, $root), $lines);

        return array_fill_keys($paths, true);
    }

    private function accessLog(): string
    {
        return "$this->folder/fpm.access";
    }

    /** @return list<string> what nginx said of workers that it has lost */
    public function losses(string $name): array
    {
        return $this->logged($name, '(?:exited on signal|exited with fatal code)');
    }

    /** @return list<string> what Howdah said of what it could not look for */
    public function warnings(string $name): array
    {
        return $this->logged($name, 'howdah: not all that realms share');
    }

    /** @return list<string> what Howdah said of a worker script that it serves without rewind */
    public function obstacles(string $name): array
    {
        return $this->logged($name, 'cannot be rewound');
    }

    /** @return list<string> */
    private function logged(string $name, string $pattern): array
    {
        $log = (string) @file_get_contents("$this->folder/$name.log");
        preg_match_all("/^.*$pattern.*$/m", $log, $lines);

        return $lines[0];
    }

    /** @param ?string $name of one of Howdah's; null: all of them */
    public function stop(?string $name = null): void
    {
        foreach (array_reverse($this->running) as $one => $server) {
            if ($name === null || $name === $one) {
                $server->stop();
                unset($this->running[$one]);
            }
        }
    }

    /** @param callable(bool): string $pass */
    private function startNginx(string $name, string $modules, string $directives, callable $pass, string $param): int
    {
        $port = Server::freePort();
        $text = $modules . ($this->isRoot ? "user root;\n" : '') . "worker_processes 1;\ndaemon off;\n"
            . "error_log stderr notice;\npid $this->folder/$name.pid;\nworker_shutdown_timeout 20s;\n";
        foreach (array_keys($this->environment) as $variable) {
            $text .= "env $variable;\n";
        }
        $text .= "events { worker_connections 4096; }\nhttp {\n  access_log off;\n  client_max_body_size 0;\n"
            . "  client_body_buffer_size 1m;\n  default_type text/plain;\n$directives";
        foreach (['client_body', 'fastcgi', 'proxy', 'uwsgi', 'scgi'] as $kind) {
            $text .= "  {$kind}_temp_path $this->folder/$name-$kind;\n";
        }
        file_put_contents("$this->folder/$name.conf", $text . $this->site->configuration($port, $pass, $param) . "}\n");
        $command = ['nginx', '-p', $this->folder, '-e', 'stderr', '-c', "$this->folder/$name.conf"];
        $this->start($name, $command)->awaitReady(static fn (): bool => Server::listens($port));

        return $port;
    }

    /** @param list<string> $command */
    private function start(string $name, array $command): Server
    {
        return $this->running[$name] = new Server($command, $this->environment, $this->site->root(), "$this->folder/$name.log");
    }
}
