<?php

declare(strict_types=1);

namespace Howdah\Cli\Init;

use Howdah\Cli\Control\LogicalPath;
use Howdah\Cli\Failure;
use Howdah\Cli\Project;
use Howdah\Cli\ServeOptions;

/** The files that run a project for others than its author: their texts, by their paths in the project. */
final readonly class Deployment
{
    /** Folders that applications write to beside their temporary one, by the name of the framework: what must be kept... */
    private const KEPT = [
        'Laravel' => ['storage'],
        'CodeIgniter' => ['writable'],
        'WordPress' => ['wp-content/uploads'],
        'Drupal' => ['sites/default/files'],
        'TYPO3' => ['fileadmin'],
        'Joomla' => ['images'],
        'phpBB' => ['files', 'store', 'images/avatars/upload'],
    ];

    /** What is of this machine: logs, sessions, keys; Laravel's cached configuration has all that is in .env. */
    private const MACHINE = [
        'Laravel' => [
            'bootstrap/cache/config.php', 'storage/*.key', 'storage/logs/*', 'storage/framework/cache/*',
            'storage/framework/sessions/*', 'storage/framework/views/*', 'database/*.sqlite',
        ],
        'Symfony' => ['var'],
    ];

    /** ...and what is made anew for each version of the code, and would be wrong for another one. */
    private const SCRATCH = [
        'Laravel' => ['bootstrap/cache'],
        'Symfony' => ['var'],
        'TYPO3' => ['var', 'typo3temp'],
        'Joomla' => ['cache', 'tmp', 'administrator/cache'],
        'phpBB' => ['cache'],
    ];

    /**
     * @param string|null $framework by its name; null: none is known
     * @param string      $nginx     configuration, as `howdah config` prints it
     * @param string      $command   the path of this command
     * @param string      $release   of Debian, as bookworm
     */
    public function __construct(
        private Project $project,
        private ?string $framework,
        private ServeOptions $options,
        private string $nginx,
        private string $command,
        private string $release,
    ) {
        $paths = [LogicalPath::of($options->path), $project->root, $project->docroot, (string) $project->script, $command];
        foreach ($paths as $path) {
            // Each of these files has lines, and none of them a way to write all bytes.
            if (preg_match('/[\x00-\x1f\x7f]|[\\\\\s]$/D', $path) === 1 || preg_match('//u', $path) !== 1) {
                throw new Failure("the name of $path cannot be written into a unit of systemd: it has a control character, a"
                    . ' backslash or a blank at its end, or is no UTF-8: give it another one');
            }
        }
    }

    /** @return array<string, string> */
    public function files(): array
    {
        return [
            'deploy/nginx.conf' => $this->nginx(),
            'deploy/howdah.service' => $this->unit(),
            'Dockerfile' => $this->image(),
            '.dockerignore' => $this->ignored(),
            'compose.yaml' => $this->compose(),
            ...($this->project->docroot === $this->project->root ? ['deploy/.htaccess' => $this->hidden()] : []),
        ];
    }

    private function nginx(): string
    {
        // The environment of whoever ran this command is nobody else's.
        $text = (string) preg_replace('/^env (?!PATH;)\w+;\n/m', '', $this->nginx);
        if ($this->options->user === null) {
            $text = (string) preg_replace('/^(# The application runs as root.*\n)?user root;\n/m', '', $text);
            $text = (string) preg_replace('/^worker_processes/m', "user www-data;\nworker_processes", $text, 1);
        }
        $file = $this->project->root . '/deploy/nginx.conf';
        $file = preg_match('/^[\w.,:\/@%+-]+$/D', $file) === 1 ? $file : escapeshellarg($file);

        return <<<TEXT
            # nginx with Howdah's module for this project, to change as you like; `howdah serve` does not read it.
            #
            #   folder=\$(mktemp -d)
            #   nginx -t -p "\$folder" -e stderr -c $file    looks whether it is right
            #   nginx -p "\$folder" -e stderr -c $file       serves, until Ctrl-C
            #
            # In an nginx of your own: `load_module`, `user` and `env` go to the top of nginx.conf, the howdah_ lines above
            # `server` into `http`, and the last `server` into a file of sites-enabled. docs/configuration.md tells of each.

            TEXT . "\n" . $text;
    }

    private function unit(): string
    {
        $root = LogicalPath::of($this->options->path);
        $command = $this->quoted($this->command);
        $given = [...$this->serveOptions(), ...$this->options->tls->arguments()];
        $options = implode(' ', array_map($this->quoted(...), $given));

        return <<<TEXT
            # sudo cp deploy/howdah.service /etc/systemd/system/{$this->name()}.service
            # sudo systemctl enable --now {$this->name()}
            # sudo systemctl reload {$this->name()}      after new code is in place: running requests end with the old
            # journalctl -u {$this->name()} -f           what it logs
            [Unit]
            Description={$this->escaped($this->name())} served by Howdah
            Wants=network-online.target
            After=network-online.target

            [Service]
            # Started when the application has booted.
            Type=notify
            WatchdogSec=60
            # The application's files belong to another user: what it cannot write, nobody who breaks in can change.
            User=www-data
            Group=www-data
            WorkingDirectory={$this->escaped($root)}
            {$this->environmentOfUnit()}ExecStart=$command serve --no-ansi $options -- {$this->quoted($root)}
            # New workers take over; where the new code does not boot, the old ones go on, and the reload fails and says why.
            # Tried, and then in new workers, it has 60 s to boot: a longer --boot-timeout wants a longer TimeoutStartSec.
            ExecReload=$command reload --no-ansi --pid=\${MAINPID}
            TimeoutStartSec=180
            Restart=on-failure
            RestartSec=1

            # SIGTERM lets running requests end, for --stop-timeout seconds (30).
            KillMode=mixed
            TimeoutStopSec=45

            # A worker that the kernel ends for its memory is replaced; the others go on.
            OOMPolicy=continue
            LimitNOFILE=65536

            {$this->rights()}PrivateTmp=yes
            ProtectSystem=full

            [Install]
            WantedBy=multi-user.target

            TEXT;
    }

    private function rights(): string
    {
        return preg_match('/:([1-9]\d{0,2}|10[01]\d|102[0-3])$/D', $this->options->listen->toNginx()) === 1
            ? "# For a port below 1024. Then only root can ask for `howdah status`, reload and stop.\n"
                . "AmbientCapabilities=CAP_NET_BIND_SERVICE\n"
            : '';
    }

    private function environmentOfUnit(): string
    {
        return match ($this->framework) {
            'Symfony' => "Environment=APP_ENV=prod\n",
            default => '',
        };
    }

    /** @return list<string> paths are below the project's folder, where they can be: an image has it elsewhere */
    private function serveOptions(): array
    {
        $isGiven = $this->options->workerScript !== null;

        return [
            "--listen={$this->options->listen->toNginx()}",
            ...($this->options->docroot === null ? [] : ["--docroot={$this->below($this->project->docroot)}"]),
            ...($isGiven ? ["--worker-script={$this->below((string) $this->project->script)}"] : []),
            "--mode={$this->project->mode->value}",
        ];
    }

    private function below(string $path): string
    {
        $root = "{$this->project->root}/";

        return str_starts_with($path, $root) ? substr($path, strlen($root)) : $path;
    }

    private function image(): string
    {
        $written = array_map(
            static fn (string $path): string => "/app/$path",
            [...$this->written(self::KEPT), ...$this->written(self::SCRATCH)],
        );
        $folders = implode(' ', $written);
        $rights = $written === [] ? '' : <<<TEXT
            # What the application writes to. All the rest belongs to root.
            RUN mkdir -p $folders && chown -R www-data:www-data $folders

            TEXT;
        $command = json_encode([
            'serve', '/app', '--listen=0.0.0.0:8080', '--stop-timeout=9', '--log=combined',
            ...array_slice($this->serveOptions(), 1),
        ], JSON_UNESCAPED_SLASHES);
        $packages = is_file("{$this->project->root}/composer.json")
            ? "# vendor/ goes in as it is: run `composer install --no-dev --optimize-autoloader` before.\n"
            : '';

        return <<<TEXT
            # HOWDAH_PACKAGES is a folder with Howdah's Debian packages: `make packages` in its checkout leaves them in
            # build/packages, for the release of Debian that it is run on.
            #
            #   docker build --build-context howdah=\$HOWDAH_PACKAGES -t {$this->name()} .
            #   docker run --rm -p 8080:8080 {$this->name()}
            FROM debian:{$this->release}-slim
            # Extensions that the application needs (php8.2-mysql, php8.2-intl and so on) belong at the end of this line.
            RUN --mount=type=bind,from=howdah,target=/packages apt-get update && apt-get install -y /packages/*.deb
            $packages{$this->environmentOfImage()}COPY . /app
            {$rights}USER www-data
            EXPOSE 8080
            # SIGTERM lets running requests end. Docker kills after 10 s; `docker stop --time` waits longer.
            STOPSIGNAL SIGTERM
            ENTRYPOINT ["howdah"]
            CMD $command

            TEXT;
    }

    private function environmentOfImage(): string
    {
        return $this->framework === 'Symfony' ? "ENV APP_ENV=prod\n" : '';
    }

    private function ignored(): string
    {
        // Symfony does not boot without its .env, which is committed and has no secrets.
        $environment = $this->framework === 'Symfony' ? [] : ['.env', '.env.*', '!.env.example'];

        return implode("\n", [
            '# What an image must not have: secrets and data of this machine, and what only development needs.',
            '.git',
            ...$environment,
            '.env.local',
            '.env.*.local',
            'auth.json',
            ...self::MACHINE[$this->framework ?? ''] ?? [],
            'node_modules',
            'deploy',
            'compose.yaml',
            'Dockerfile',
        ]) . "\n";
    }

    private function hidden(): string
    {
        return "# This folder lies below the document root: nobody is to read it from outside.\nRequire all denied\n";
    }

    private function readOnly(): string
    {
        return $this->written(self::SCRATCH) === []
            ? "    read_only: true\n    tmpfs:\n      - /tmp\n      - /var/lib/php/sessions:mode=1733\n"
            : '';
    }

    private function compose(): string
    {
        $volumes = '';
        $names = '';
        foreach ($this->written(self::KEPT) as $path) {
            $name = strtr($path, '/', '-');
            $volumes .= "      - $name:/app/$path\n";
            $names .= "  $name:\n";
        }
        $mounts = $volumes === '' ? '' : "    # What the application writes, kept when the container is replaced.\n   "
            . " volumes:\n$volumes";
        $declared = $names === '' ? '' : "\nvolumes:\n$names";

        return <<<TEXT
            # docker compose up --build
            services:
              app:
                build:
                  context: .
                  additional_contexts:
                    # A folder with Howdah's Debian packages: `make packages` in its checkout leaves them in build/packages.
                    howdah: \${HOWDAH_PACKAGES}
                ports:
                  - "8080:8080"
                # Secrets and settings, as DB_HOST=db: one line each. The file stays out of the image (.dockerignore).
                # env_file: .env
            {$this->readOnly()}    restart: unless-stopped
                # More than --stop-timeout: running requests end first.
                stop_grace_period: 15s
            $mounts$declared
            TEXT;
    }

    /**
     * @param  array<string, list<string>> $folders by framework
     * @return list<string> paths in the project
     */
    private function written(array $folders): array
    {
        $isBelow = $this->project->docroot !== $this->project->root && in_array($this->framework, ['Drupal', 'TYPO3'], true);
        $below = $isBelow ? substr($this->project->docroot, strlen($this->project->root) + 1) . '/' : '';

        return array_map(
            static fn (string $path): string => $path === 'var' ? $path : $below . $path,
            $folders[$this->framework ?? ''] ?? [],
        );
    }

    /** For images and units: letters, digits and hyphens. */
    private function name(): string
    {
        $path = LogicalPath::of($this->options->path);
        $folder = basename(basename($path) === 'current' ? dirname($path) : $path);
        $name = trim((string) preg_replace('/[^a-z0-9]+/', '-', strtolower($folder)), '-');

        return $name === '' ? 'app' : $name;
    }

    /** systemd.service(5), "Command lines": a percent sign and a dollar sign would mean something. */
    private function quoted(string $text): string
    {
        $text = str_replace('$', '$$', $this->escaped($text));

        return preg_match('/^[\w.,:=\/@%$-]+$/D', $text) === 1 ? $text : '"' . addcslashes($text, '"\\') . '"';
    }

    private function escaped(string $text): string
    {
        return str_replace('%', '%%', $text);
    }
}
