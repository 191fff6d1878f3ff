<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** New connections reach the worker that can serve them: none waits while another worker has nothing to do. */
final class BalanceTest extends PoolTestCase
{
    private const TOGETHER_MS = 300;

    /** And of more than that each worker has its half. */
    #[DataProvider('modes')]
    public function test_as_many_as_all_workers_serve_at_once_are_served_at_once(string $mode): void
    {
        $server = $this->ownServer($mode, '--workers=2', '--concurrency=2', '--warm=2');
        $this->ask($server, array_fill(0, 4, '/wait?n=1'));

        for ($round = 0; $round < 3; ++$round) {
            $seconds = $this->ask($server, array_fill(0, 4, '/wait?n=' . self::TOGETHER_MS));
            self::assertLessThan(2 * self::TOGETHER_MS / 1000, $seconds, "round $round: some have waited for others");
        }
        $seconds = $this->ask($server, array_fill(0, 12, '/wait?n=' . self::TOGETHER_MS));
        self::assertLessThan(4 * self::TOGETHER_MS / 1000, $seconds, 'one turn more than three');
    }

    #[DataProvider('modes')]
    public function test_a_worker_that_hears_nobody_keeps_nobody_waiting(string $mode): void
    {
        $server = $this->ownServer($mode, '--workers=2', '--concurrency=4');
        $waiting = [$this->open($server, '/wait?n=1200'), $this->open($server, '/wait?n=1200')];
        usleep(100_000);
        $waiting[] = $this->open($server, '/block?n=1000');
        usleep(100_000);

        for ($client = 0; $client < 10; ++$client) {
            $start = microtime(true);
            self::assertSame('front page', $this->open($server, '/')->read()?->body, $server->errors());
            self::assertLessThan(0.5, microtime(true) - $start);
        }
        foreach ($waiting as $client) {
            self::assertSame(200, $client->read()?->status);
        }
    }

    /** What it told the others stays on the board until its successor starts. */
    public function test_nor_does_one_that_is_gone(): void
    {
        $server = $this->ownServer('classic', '--workers=2');
        $this->ask($server, array_fill(0, 4, '/wait?n=1'));
        $workers = $server->workers();
        $waiting = $this->open($server, '/wait?n=300');
        posix_kill($workers[0], SIGKILL);
        for ($client = 0; $client < 10; ++$client) {
            self::assertSame('front page', $this->open($server, '/')->read()?->body, $server->errors());
        }
        $waiting->read();
        self::assertTrue($server->eventually(static fn (): bool => count($server->workers()) === 2));
    }

    private function open(Server $server, string $uri): Http1
    {
        return (new Http1($server->port))->get($uri, "Connection: close\r\n");
    }

    /**
     * @param  list<string> $uris
     * @return float seconds until all have their answers
     */
    private function ask(Server $server, array $uris): float
    {
        $start = microtime(true);
        $clients = array_map(fn (string $uri): Http1 => $this->open($server, $uri), $uris);
        foreach ($clients as $client) {
            self::assertSame(200, $client->read()?->status, $server->errors());
        }

        return microtime(true) - $start;
    }
}
