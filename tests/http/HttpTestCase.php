<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\TestCase;
use Throwable;

/** Tests that ask a server of one worker, in each mode. Servers are shared by the tests of a class; a lost one is replaced. */
abstract class HttpTestCase extends TestCase
{
    /** @var string the project that is served */
    protected const APP = __DIR__ . '/app';

    /** @var array<string, Server> */
    private static array $shared = [];

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
        foreach ($this->own as $server) {
            $server->stop();
        }
        $this->own = [];
    }

    public static function tearDownAfterClass(): void
    {
        foreach (self::$shared as $server) {
            $server->stop();
        }
        self::$shared = [];
    }

    /** A failed assertion about an answer is little use without what the server logged meanwhile. */
    protected function onNotSuccessfulTest(Throwable $t): never
    {
        foreach ([...self::$shared, ...$this->own] as $name => $server) {
            fwrite(STDERR, "\n---- log of $name ({$this->name()})\n" . substr($server->errors(), -3000) . "\n");
        }
        throw $t;
    }
}
