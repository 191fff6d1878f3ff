<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Assert;

/** nginx with a configuration that `howdah config` printed and somebody edited. */
final class Nginx
{
    public readonly Client $client;
    public readonly int $port;

    /** For HTTP/2 without TLS. */
    public readonly int $port2;

    /** @var resource */
    private $process;

    /** @var array<string, array{string, string, string}> what was printed for which options: address, folder, text */
    private static array $printed = [];

    /**
     * Returns as soon as it was started.
     *
     * @param string                $folder    nginx's own, and the caller's to remove
     * @param list<string>          $options   of `howdah config`; --listen is added
     * @param string                $directive of the server
     * @param array<string, string> $edits     of the whole text: what is there once, and what shall be there
     * @param string                $listen    more of its `listen`
     * @param ?array<string, string> $environment null: this process's
     * @param int                   $addressSpace so many KB may each process have; 0: as many as it wants
     */
    public function __construct(
        private readonly string $folder,
        string $project,
        array $options,
        string $directive,
        array $edits = [],
        string $listen = '',
        ?array $environment = null,
        int $addressSpace = 0,
    ) {
        $this->port = Server::freePort();
        $this->port2 = Server::freePort();
        $this->client = new Client("http://127.0.0.1:{$this->port}");
        $config = $this->print($project, $options);
        $edits["listen 127.0.0.1:{$this->port};"] =
            "listen 127.0.0.1:{$this->port}$listen; listen 127.0.0.1:{$this->port2} http2; $directive";
        foreach ($edits as $old => $new) {
            Assert::assertSame(1, substr_count($config, $old), $old);
            $config = str_replace($old, $new, $config);
        }
        file_put_contents("$folder/nginx.conf", $config);
        $out = ['file', "$folder/log", 'a'];
        $bounded = $addressSpace === 0 ? [] : ['sh', '-c', "ulimit -v $addressSpace; exec \"\$@\"", 'sh'];
        $command = [...$bounded, 'nginx', '-p', $folder, '-e', 'stderr', '-c', 'nginx.conf'];
        $process = proc_open($command, [['file', '/dev/null', 'r'], $out, $out], $pipes, $folder, $environment);
        Assert::assertIsResource($process);
        $this->process = $process;
    }

    /**
     * The command is asked once for the same options: another port and another folder change nothing else.
     *
     * @param list<string> $options
     */
    private function print(string $project, array $options): string
    {
        $address = "127.0.0.1:{$this->port}";
        $key = serialize([$project, str_replace($this->folder, '{folder}', $options)]);
        if (!isset(self::$printed[$key])) {
            // One pool: edits change what is there once.
            $howdah = Howdah::run(['config', $project, "--listen=$address", '--scripts=0', ...$options]);
            Assert::assertSame(0, $howdah->status, $howdah->errors);
            self::$printed[$key] = [$address, $this->folder, $howdah->output];
        }
        [$before, $folder, $text] = self::$printed[$key];

        return str_replace([$before, $folder], [$address, $this->folder], $text);
    }

    /** Waits until it listens, or has ended. */
    public function awaitReady(): self
    {
        Clock::await(fn (): bool => !$this->isRunning() || $this->serves(), fn (): string => "nginx serves: {$this->log()}");

        return $this;
    }

    /** @phpstan-impure */
    public function isRunning(): bool
    {
        return proc_get_status($this->process)['running'];
    }

    /** Of its master. */
    public function pid(): int
    {
        return proc_get_status($this->process)['pid'];
    }

    /** @return list<int> the process ids of its workers */
    public function workers(): array
    {
        return Server::children(proc_get_status($this->process)['pid']);
    }

    /** What nginx wrote to standard output and standard error. */
    public function log(): string
    {
        return (string) file_get_contents("{$this->folder}/log");
    }

    /** Its configuration is read again, and new workers take over. */
    public function reload(): void
    {
        proc_terminate($this->process, SIGHUP);
    }

    /** Its master and its workers open their logs anew. */
    public function reopenLogs(): void
    {
        proc_terminate($this->process, SIGUSR1);
    }

    public function stop(): void
    {
        proc_terminate($this->process, SIGTERM);
        proc_close($this->process);
    }

    /** Its master, and nobody else. */
    public function kill(): void
    {
        proc_terminate($this->process, SIGKILL);
        proc_close($this->process);
    }

    /** It listens before it has made its workers. */
    private function serves(): bool
    {
        $config = (string) file_get_contents("{$this->folder}/nginx.conf");
        $workers = preg_match('/^worker_processes +(\d+);/m', $config, $match) === 1 ? (int) $match[1] : 1;

        return count($this->workers()) >= $workers && $this->listens();
    }

    private function listens(): bool
    {
        $socket = @stream_socket_client("tcp://127.0.0.1:{$this->port}", $code, $message, Clock::PATIENCE);
        if ($socket === false) {
            return false;
        }
        fclose($socket);

        return true;
    }
}
