<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** A program that serves until it is stopped, with a log. */
final class Server
{
    /** @var resource */
    private mixed $process;

    /**
     * @param list<string>          $command
     * @param array<string, string> $environment
     */
    public function __construct(array $command, array $environment, string $folder, private readonly string $log)
    {
        $out = ['file', $log, 'a'];
        $process = proc_open($command, [['file', '/dev/null', 'r'], $out, $out], $pipes, $folder, $environment);
        if ($process === false) {
            throw new Failure("$command[0] cannot be started");
        }
        $this->process = $process;
    }

    /** @param callable(): bool $is */
    public function awaitReady(callable $is): void
    {
        for ($tries = 0; !$is(); ++$tries) {
            if ($tries > 1200 || !proc_get_status($this->process)['running']) {
                throw new Failure('a server does not start: ' . substr($this->log(), -2000));
            }
            usleep(50_000);
        }
    }

    public function log(): string
    {
        return (string) file_get_contents($this->log);
    }

    public function stop(): void
    {
        proc_terminate($this->process, SIGTERM);
        for ($tries = 0; proc_get_status($this->process)['running']; ++$tries) {
            usleep(50_000);
            if ($tries === 400) {
                proc_terminate($this->process, SIGKILL);
            }
        }
        proc_close($this->process);
    }

    public static function listens(int $port): bool
    {
        $socket = @stream_socket_client("tcp://127.0.0.1:$port", $code, $message, 1);

        return $socket !== false;
    }

    public static function freePort(): int
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        if ($socket === false) {
            throw new Failure('no port is free');
        }

        return (int) substr((string) strrchr((string) stream_socket_get_name($socket, false), ':'), 1);
    }
}
