<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Component\MariaDb;
use Howdah\WaitingTests\Daemon;
use Howdah\WaitingTests\Port;
use mysqli;
use RuntimeException;

/** An nginx that serves the applications, with files and a database of its own. Each of the two kinds says how PHP is reached. */
abstract class Stack
{
    /** What nginx lets through, and PHP. */
    private const BODY = '64M';

    public readonly string $folder;
    public readonly int $port;
    protected readonly Daemon $nginx;
    private readonly MariaDb $database;

    /** @param list<Application> $applications */
    public function __construct(private readonly array $applications)
    {
        $this->port = Server::freePort();
        $this->nginx = new Daemon('applications');
        $this->folder = $this->nginx->folder;
        $this->database = new MariaDb();
    }

    public function start(): void
    {
        $this->database->start();
        $this->makeFolder('sessions');
        $servers = '';
        foreach ($this->applications as $application) {
            $application->prepare($this);
            $servers .= "  server {\n    listen 127.0.0.1:$this->port;\n    server_name {$application->host()};\n"
                . $application->server($this) . "  }\n";
        }
        // Requests for a name that nobody has are not for the first application.
        $servers .= "  server {\n    listen 127.0.0.1:$this->port default_server;\n    return 404;\n  }\n";
        $this->startPhp();
        file_put_contents("$this->folder/nginx.conf", $this->configuration($servers));
        $this->nginx->start(
            ['nginx', '-p', $this->folder, '-e', 'stderr', '-c', "$this->folder/nginx.conf"],
            fn (): bool => Port::answers($this->port),
        );
    }

    public function stop(): void
    {
        $this->nginx->remove();
        $this->database->stop();
    }

    public function browser(Application $application): Browser
    {
        return new Browser($application->host(), $this->port);
    }

    /** What nginx has logged. */
    public function log(): string
    {
        return $this->nginx->log();
    }

    /** What PHP has logged. */
    public function errors(): string
    {
        return (string) @file_get_contents("$this->folder/sessions/errors");
    }

    /** Where PHP finds the database. */
    public function socket(): string
    {
        return $this->database->settings()['socket'];
    }

    public function query(string ...$statements): void
    {
        $mysqli = new mysqli('localhost', 'root', '', 'test', null, $this->socket());
        foreach ($statements as $statement) {
            $mysqli->query($statement);
        }
        $mysqli->close();
    }

    /** A folder that PHP may write to. */
    public function makeFolder(string $name): string
    {
        $folder = "$this->folder/$name";
        if (!is_dir($folder)) {
            mkdir($folder, 0755, true);
        }
        $this->give($folder);

        return $folder;
    }

    /** Makes all that is in a folder PHP's own. */
    public function give(string $folder): void
    {
        if (self::user() !== null) {
            self::run('chown', '-R', self::user(), $folder);
        }
    }

    /** Who runs PHP when root does the tests; null: who runs the tests. */
    protected static function user(): ?string
    {
        return posix_geteuid() === 0 ? 'www-data' : null;
    }

    public static function run(string ...$command): string
    {
        exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1', $lines, $status);
        if ($status !== 0) {
            throw new RuntimeException("$command[0] ended with $status: " . implode("\n", $lines));
        }

        return implode("\n", $lines);
    }

    /** @return array<string, string> settings for all of PHP: those that no script may change */
    protected function settings(): array
    {
        return [
            'session.save_path' => "$this->folder/sessions",
            'error_log' => "$this->folder/sessions/errors",
            'post_max_size' => self::BODY,
            'upload_max_filesize' => self::BODY,
            // No page is ended because the machine is busy.
            'max_execution_time' => '300',
            'sendmail_path' => "/bin/cat >> $this->folder/sessions/mail",
        ];
    }

    /**
     * The directives of a location whose script is $document_root$fastcgi_script_name.
     *
     * @param array<string, string> $params   for $_SERVER and getenv()
     * @param array<string, string> $settings of PHP, for this location
     */
    public function pass(array $params = [], array $settings = []): string
    {
        $text = "      fastcgi_split_path_info ^(.+?\\.php)(/.*)\$;\n      try_files \$fastcgi_script_name =404;\n"
            . $this->handler();
        if ($settings !== []) {
            $lines = array_map(static fn (string $name): string => "$name=$settings[$name]", array_keys($settings));
            $params['PHP_VALUE'] = implode('\n', $lines);
        }
        foreach ($params as $name => $value) {
            $text .= "      {$this->param()} $name \"$value\";\n";
        }

        return $text;
    }

    abstract protected function startPhp(): void;

    /** Directives before http. */
    abstract protected function modules(): string;

    /** Directives of http. */
    abstract protected function http(): string;

    /** Directives that hand a request to PHP. */
    abstract protected function handler(): string;

    /** The directive that adds a variable. */
    abstract protected function param(): string;

    private function configuration(string $servers): string
    {
        $user = self::user() === null ? '' : 'user ' . self::user() . ";\n";
        $temporary = '';
        foreach (['client_body', 'fastcgi', 'proxy', 'uwsgi', 'scgi'] as $kind) {
            $temporary .= "  {$kind}_temp_path $this->folder/$kind;\n";
        }

        return $this->modules() . "{$user}worker_processes 1;\ndaemon off;\nerror_log stderr notice;\npid $this->folder/pid;\n"
            . "events { worker_connections 1024; }\nhttp {\n  include /etc/nginx/mime.types;\n  access_log off;\n"
            . "  absolute_redirect off;\n"
            . '  client_max_body_size ' . self::BODY . ";\n$temporary" . $this->http() . "$servers}\n";
    }
}
