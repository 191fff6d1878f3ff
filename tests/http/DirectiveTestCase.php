<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

/** Tests of a configuration that `howdah config` printed and somebody edited, in an nginx of their own. */
abstract class DirectiveTestCase extends HttpTestCase
{
    /** @var int so many KB each process of nginx may have; 0: as many as it wants */
    protected const ADDRESS_SPACE_KB = 0;

    /** For nginx's folder, and what the test itself keeps. */
    protected string $folder;
    protected int $port;

    /** For HTTP/2 without TLS. */
    protected int $port2;

    private ?Nginx $nginx = null;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-directive-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        $this->nginx?->stop();
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
        $this->nginx?->awaitReady();

        return $client;
    }

    /**
     * Without waiting for it.
     *
     * @param array<string, string> $edits
     */
    protected function start(string $mode, string $directive, array $edits = [], string $listen = ''): Client
    {
        $this->nginx = new Nginx(
            $this->folder,
            static::APP,
            static::options($mode),
            $directive,
            $edits,
            $listen,
            addressSpace: static::ADDRESS_SPACE_KB,
        );
        $this->port = $this->nginx->port;
        $this->port2 = $this->nginx->port2;

        return $this->nginx->client;
    }

    protected function reload(): void
    {
        $this->nginx?->reload();
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
        return $this->nginx?->log() ?? '';
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
        return $this->nginx?->isRunning() ?? false;
    }
}
