<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;

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

    /** Bytes of its log that are of other tests. */
    private int $before = 0;

    /** @var array<string, Nginx> of all tests of a class, by what they have been started with */
    private static array $shared = [];
    private static string $sharedFolder = '';

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-directive-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        if (!in_array($this->nginx, self::$shared, true)) {
            $this->nginx?->stop();
        }
        exec('rm -rf ' . escapeshellarg($this->folder));
        parent::tearDown();
    }

    public static function tearDownAfterClass(): void
    {
        foreach (self::$shared as $nginx) {
            $nginx->stop();
        }
        self::$shared = [];
        if (self::$sharedFolder !== '') {
            exec('rm -rf ' . escapeshellarg(self::$sharedFolder));
            self::$sharedFolder = '';
        }
        parent::tearDownAfterClass();
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
     * As serve(), by one nginx for all tests of the class that say the same; the log begins with this test. Tests that stop it
     * need one of their own.
     *
     * @param string                $directive {folder} is a folder of that nginx, here and in edits
     * @param array<string, string> $edits
     */
    protected function share(string $mode, string $directive, array $edits = []): Client
    {
        $key = serialize([$mode, $directive, $edits]);
        if (!isset(self::$shared[$key])) {
            self::$sharedFolder = self::$sharedFolder ?: sys_get_temp_dir() . '/howdah-directives-' . bin2hex(random_bytes(6));
            $folder = self::$sharedFolder . '/' . count(self::$shared);
            mkdir($folder, recursive: true);
            $directive = str_replace('{folder}', $folder, $directive);
            $edits = str_replace('{folder}', $folder, $edits);
            $bound = static::ADDRESS_SPACE_KB;
            $nginx = new Nginx($folder, static::APP, static::options($mode), $directive, $edits, addressSpace: $bound);
            self::$shared[$key] = $nginx->awaitReady();
        }
        $this->use(self::$shared[$key]);
        $this->before = strlen(self::$shared[$key]->log());
        self::assertTrue($this->runs(), 'the server has ended: ' . $this->nginx?->log());

        return self::$shared[$key]->client;
    }

    private function use(Nginx $nginx): void
    {
        $this->nginx = $nginx;
        $this->port = $nginx->port;
        $this->port2 = $nginx->port2;
    }

    /**
     * Without waiting for it.
     *
     * @param array<string, string> $edits
     */
    protected function start(string $mode, string $directive, array $edits = [], string $listen = ''): Client
    {
        $nginx = new Nginx(
            $this->folder,
            static::APP,
            static::options($mode),
            $directive,
            $edits,
            $listen,
            addressSpace: static::ADDRESS_SPACE_KB,
        );
        $this->use($nginx);

        return $nginx->client;
    }

    protected function reload(): void
    {
        $this->nginx?->reload();
    }

    protected function reopenLogs(): void
    {
        $this->nginx?->reopenLogs();
    }

    /** The process id of nginx's master. */
    protected function master(): int
    {
        return $this->nginx?->pid() ?? 0;
    }

    /** @return list<int> the process ids of nginx's workers */
    protected function workers(): array
    {
        return $this->nginx?->workers() ?? [];
    }

    /** True as soon as nginx has ended by itself; else late. */
    protected function ends(): bool
    {
        return Clock::await(fn (): bool => !$this->runs(), fn (): string => "nginx ends: {$this->log()}");
    }

    /** What nginx wrote to standard output and standard error. */
    protected function log(): string
    {
        return substr($this->nginx?->log() ?? '', $this->before);
    }

    /** True as soon as the log has one of the texts, else late: the access log is written after the answer. */
    protected function logs(string ...$texts): bool
    {
        $has = fn (): bool => array_filter($texts, fn (string $text): bool => str_contains($this->log(), $text)) !== [];

        return Clock::await($has, fn (): string => 'the log has ' . implode(', or ', $texts) . ", but: {$this->log()}");
    }

    /** @return resource to the server, for requests written by hand */
    protected function connect()
    {
        $socket = stream_socket_client("tcp://127.0.0.1:{$this->port}", $code, $message, Clock::PATIENCE);
        self::assertIsResource($socket, (string) $message);
        stream_set_timeout($socket, (int) Clock::PATIENCE);

        return $socket;
    }

    private function runs(): bool
    {
        return $this->nginx?->isRunning() ?? false;
    }
}
