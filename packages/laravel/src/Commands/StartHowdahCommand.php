<?php

declare(strict_types=1);

namespace Howdah\Laravel\Commands;

use Howdah\Laravel\HowdahCommand;
use Howdah\Laravel\HowdahFailure;
use Howdah\Laravel\ServeArguments;
use Howdah\Laravel\ServerProcessInspector;
use Laravel\Octane\Commands\Command;
use Laravel\Octane\Commands\Concerns\InteractsWithEnvironmentVariables;
use Laravel\Octane\Commands\Concerns\InteractsWithServers;
use Laravel\Octane\FrankenPhp\ServerStateFile;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\SignalableCommandInterface;

/** What octane:start --server=howdah calls: `howdah serve` for this application, until one of the two ends. */
#[AsCommand(name: 'octane:howdah')]
final class StartHowdahCommand extends Command implements SignalableCommandInterface
{
    use InteractsWithEnvironmentVariables;
    use InteractsWithServers;

    /** Taken over from octane:start, beside --host and --port. */
    public const OPTIONS = [
        'admin-port', 'rpc-host', 'rpc-port', 'workers', 'task-workers', 'max-requests', 'rr-config', 'caddyfile', 'https',
        'http-redirect', 'watch', 'poll', 'log-level',
    ];

    /** @var string */
    public $signature = 'octane:howdah
                    {--host=127.0.0.1 : The IP address the server should bind to}
                    {--port= : The port the server should be available on}
                    {--workers=auto : The number of requests at once}
                    {--max-requests=500 : The number of requests to process before replacing a realm}
                    {--https : Enable HTTPS, with a certificate of an authority made for this machine}
                    {--watch : Automatically reload the server when the application is modified}
                    {--poll : Use file system polling while watching in order to watch files over a network}
                    {--admin-port= : FrankenPHP only}
                    {--rpc-host= : RoadRunner only}
                    {--rpc-port= : RoadRunner only}
                    {--task-workers=auto : Swoole only}
                    {--rr-config= : RoadRunner only}
                    {--caddyfile= : FrankenPHP only}
                    {--http-redirect : FrankenPHP only}
                    {--log-level= : FrankenPHP and RoadRunner only}';

    /** @var string */
    public $description = 'Start the Octane Howdah server';

    /** @var bool */
    protected $hidden = true;

    /** @var array<string, mixed> for Octane's state file */
    private array $state = [];

    /** Whether the state file tells of our server: one that could not start leaves the file to another that runs. */
    private bool $isWritten = false;

    public function __construct(private readonly HowdahCommand $howdah, private readonly ServerStateFile $file)
    {
        parent::__construct();
    }

    public function handle(ServerProcessInspector $inspector): int
    {
        try {
            if ($inspector->serverIsRunning()) {
                throw new HowdahFailure('Howdah server is already running: `php artisan octane:stop` stops it.');
            }
            $arguments = new ServeArguments($this->options());
            array_map($this->warn(...), $arguments->ignored());
            foreach ($arguments->needed() as $option => $needed) {
                if (!$this->howdah->hasOption($needed)) {
                    throw new HowdahFailure("--$option: `howdah serve` of this version has no $needed: leave it out.");
                }
            }
            $list = $arguments->toList(
                $this->project(),
                (string) $this->getHost(),
                (string) $this->getPort(),
                $this->processors(),
                [...$this->documentRoot(), ...array_values((array) config('howdah.options'))],
            );
            $this->state = [
                'appName' => config('app.name', 'Laravel'),
                'host' => $this->getHost(),
                'port' => $this->getPort(),
                'workers' => $this->option('workers'),
                'maxRequests' => $this->option('max-requests'),
                'octaneConfig' => config('octane'),
            ];
            $environment = ['APP_ENV' => (string) $this->laravel->environment()];
            // Else what .env said when the server started would hide what it says at the next reload.
            $this->forgetEnvironmentVariables();
            $server = $this->howdah->serve($list, $environment);
        } catch (HowdahFailure $failure) {
            $this->error($failure->getMessage());

            return self::FAILURE;
        }

        return $this->runServer($server, $inspector, 'howdah') ?? self::FAILURE;
    }

    /**
     * The way to the application that the user took, where it leads there: with `current -> releases/17` in it, a reload finds
     * the next release. Laravel itself only knows releases/17.
     */
    private function project(): string
    {
        $script = $_SERVER['argv'][0] ?? '';
        $folder = is_string($script) ? dirname($script) : '';

        return realpath($folder) === realpath(base_path()) ? $folder : base_path();
    }

    /** @return list<string> */
    private function documentRoot(): array
    {
        return realpath(public_path()) === realpath(base_path('public')) ? [] : ['--docroot=' . public_path()];
    }

    private function processors(): int
    {
        return (int) trim((string) shell_exec('nproc 2>/dev/null'));
    }

    /** `howdah serve` watches by itself, and tells nginx within milliseconds. */
    protected function startServerWatcher(): object
    {
        return new class {
            public function isRunning(): bool
            {
                return false;
            }

            public function isTerminated(): bool
            {
                return false;
            }
        };
    }

    /** `howdah serve` says so, when it does serve. */
    protected function writeServerRunningMessage(): void
    {
    }

    /** Called twice a second. `howdah serve` writes to this terminal itself; the first time that it listens, Octane is told. */
    protected function writeServerOutput(mixed $server): void
    {
        if (!$this->isWritten && $server->isRunning() && $this->listens()) {
            $this->file->writeState($this->state);
            $this->file->writeProcessId($server->getPid());
            $this->isWritten = true;
        }
    }

    private function listens(): bool
    {
        $host = (string) $this->getHost();
        $host = $host === '0.0.0.0' || $host === '' ? '127.0.0.1' : $host;
        $connection = @fsockopen(str_contains($host, ':') ? '[' . trim($host, '[]') . ']' : $host, (int) $this->getPort());
        if ($connection === false) {
            return false;
        }

        return fclose($connection);
    }

    /** Before it serves, the end of this process tells it to stop. */
    protected function stopServer(): void
    {
        if ($this->isWritten) {
            $this->callSilent('octane:stop', ['--server' => 'howdah']);
        }
    }
}
