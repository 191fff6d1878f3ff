<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

/** Tests of a configuration that `howdah config` printed and somebody edited, in an nginx of their own. */
abstract class DirectiveTestCase extends HttpTestCase
{
    /** For nginx's folder, and what the test itself keeps. */
    protected string $folder;
    protected int $port;

    /** @var resource|null */
    private $nginx = null;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-directive-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        if ($this->nginx !== null) {
            proc_terminate($this->nginx, SIGTERM);
            proc_close($this->nginx);
        }
        exec('rm -rf ' . escapeshellarg($this->folder));
        parent::tearDown();
    }

    /**
     * @param string                $directive of the server
     * @param array<string, string> $edits     of the whole text: what is there once, and what shall be there
     * @param string                $listen    more of its `listen`
     */
    protected function serve(string $mode, string $directive, array $edits = [], string $listen = ''): Client
    {
        $client = $this->start($mode, $directive, $edits, $listen);
        for ($tries = 0; $tries < 200 && !$this->listens() && $this->runs(); ++$tries) {
            usleep(50_000);
        }

        return $client;
    }

    /**
     * Without waiting for it.
     *
     * @param array<string, string> $edits
     */
    protected function start(string $mode, string $directive, array $edits = [], string $listen = ''): Client
    {
        $this->port = Server::freePort();
        $howdah = [PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah', 'config', static::APP, "--listen=127.0.0.1:{$this->port}"];
        exec(implode(' ', array_map(escapeshellarg(...), [...$howdah, ...static::options($mode)])), $lines, $status);
        self::assertSame(0, $status);
        $config = implode("\n", $lines);
        $edits["listen 127.0.0.1:{$this->port};"] = "listen 127.0.0.1:{$this->port}$listen; $directive";
        foreach ($edits as $old => $new) {
            self::assertSame(1, substr_count($config, $old), $old);
            $config = str_replace($old, $new, $config);
        }
        file_put_contents("{$this->folder}/nginx.conf", $config);
        $out = ['file', "{$this->folder}/log", 'a'];
        $command = ['nginx', '-p', $this->folder, '-e', 'stderr', '-c', 'nginx.conf'];
        $process = proc_open($command, [['file', '/dev/null', 'r'], $out, $out], $pipes, $this->folder);
        self::assertIsResource($process);
        $this->nginx = $process;

        return new Client("http://127.0.0.1:{$this->port}");
    }

    /** Whether nginx ends by itself, or has ended. */
    protected function ends(): bool
    {
        for ($tries = 0; $tries < 200 && $this->runs(); ++$tries) {
            usleep(50_000);
        }

        return !$this->runs();
    }

    /** What nginx wrote to standard output and standard error. */
    protected function log(): string
    {
        return (string) file_get_contents("{$this->folder}/log");
    }

    /** Whether a log has the text, now or soon: the access log is written after the answer. */
    protected function logs(string $text): bool
    {
        for ($tries = 0; $tries < 200 && !str_contains($this->log(), $text); ++$tries) {
            usleep(20_000);
        }

        return str_contains($this->log(), $text);
    }

    /** @return resource to the server, for requests written by hand */
    protected function connect()
    {
        $socket = stream_socket_client("tcp://127.0.0.1:{$this->port}", $code, $message, 10);
        self::assertIsResource($socket, (string) $message);
        stream_set_timeout($socket, 30);

        return $socket;
    }

    private function runs(): bool
    {
        return $this->nginx !== null && proc_get_status($this->nginx)['running'];
    }

    private function listens(): bool
    {
        $socket = @stream_socket_client("tcp://127.0.0.1:{$this->port}", $code, $message, 1);
        if ($socket === false) {
            return false;
        }
        fclose($socket);

        return true;
    }
}
