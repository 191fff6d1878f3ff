<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use Howdah\Tests\Late;
use PHPUnit\Framework\AssertionFailedError;
use PHPUnit\Framework\TestCase;
use Throwable;

/** Tests that ask a server of one worker, in each mode. Servers are shared by the tests of a class; a lost one is replaced. */
abstract class HttpTestCase extends TestCase
{
    /** @var string the project that is served */
    protected const APP = __DIR__ . '/app';

    /** Whether a worker that crashes may be what a test is about; where it is not, a crash is wrong, whatever came of it. */
    protected const MAY_CRASH = true;

    /** @var array<string, Server> */
    private static array $shared = [];

    /** @var array<string, int> bytes of the shared servers' logs that earlier tests have answered for */
    private static array $read = [];

    /** What the logs say of workers that crashed in this test. */
    private string $crashes = '';

    /** @var list<Server> */
    private array $own = [];

    /** @return array<string, array{string}> */
    public static function modes(): array
    {
        return ['classic' => ['classic'], 'worker' => ['worker']];
    }

    /** @return list<string> the options that make the application run in a mode */
    protected static function options(string $mode): array
    {
        $ini = ['--ini=display_errors=0', '--ini=memory_limit=32M', '--ini=session.save_path=/tmp'];
        $app = $mode === 'worker' ? '--worker-script=' . static::APP . '/worker.php' : '--mode=classic';

        return ['--workers=1', ...$ini, $app];
    }

    /** A server that other tests use too: do not stop it. */
    protected function server(string $mode): Server
    {
        $key = static::class . ' ' . $mode;
        if (isset(self::$shared[$key]) && !self::$shared[$key]->isRunning()) {
            self::fail('the server has ended: ' . self::$shared[$key]->errors());
        }

        return self::$shared[$key] ??= Server::serving(static::APP, ...static::options($mode));
    }

    /** A server for this test alone. */
    protected function ownServer(string $mode, string ...$options): Server
    {
        $server = $this->own[] = new Server(static::APP, [...static::options($mode), ...array_values($options)]);
        $server->awaitReady();

        return $server;
    }

    protected function keep(Server $server): Server
    {
        return $this->own[] = $server;
    }

    /** What a request that does not last is answered: late where this machine has kept it until its time limit was over. */
    protected static function assertServed(string $body, ?Response $response, float $limit): void
    {
        if ($response?->status === 504) {
            Clock::assertAtMost($limit, $response->seconds, 'a request that does not last');
        }
        self::assertSame($body, $response?->body);
    }

    /** Until the log of a server has it; who has ended says no more. */
    protected function awaitLine(Server $server, string $text): void
    {
        Clock::await(
            static fn (): bool => str_contains($server->errors(), $text) || !$server->isRunning(),
            static fn (): string => "the log has $text: {$server->errors()}",
        );
        self::assertStringContainsString($text, $server->errors());
    }

    protected function tearDown(): void
    {
        $this->crashes = static::MAY_CRASH ? '' : $this->crashes();
        foreach ($this->own as $server) {
            $server->stop();
        }
        $this->own = [];
        // Where the test has failed already, that is told.
        $this->crashes === '' || self::fail("a worker has crashed: $this->crashes");
    }

    private function crashes(): string
    {
        $logs = array_map(static fn (Server $server): string => $server->errors(), $this->own);
        foreach (self::$shared as $key => $server) {
            $log = $server->errors();
            $logs[] = substr($log, self::$read[$key] ?? 0);
            self::$read[$key] = strlen($log);
        }
        preg_match_all('/^.*exited on signal (?!9\b|15\b).*$/m', implode("\n", $logs), $found);

        return implode("\n", $found[0]);
    }

    public static function tearDownAfterClass(): void
    {
        foreach (self::$shared as $server) {
            $server->stop();
        }
        self::$shared = self::$read = [];
    }

    /** A failed assertion about an answer is little use without what the server logged meanwhile. */
    protected function onNotSuccessfulTest(Throwable $t): never
    {
        foreach ([...self::$shared, ...$this->own] as $name => $server) {
            fwrite(STDERR, "\n---- log of $name ({$this->name()})\n" . substr($server->errors(), -3000) . "\n");
        }
        // Requests that a worker takes with it never come: that is wrong, and must not be tried again until it is green.
        if ($t instanceof Late && $this->crashes !== '') {
            throw new AssertionFailedError("a worker has crashed: $this->crashes\n{$t->getMessage()}", 0, $t);
        }
        throw $t;
    }
}
