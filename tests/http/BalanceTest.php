<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** New connections reach the worker that can serve them: none waits while another worker has nothing to do. */
#[Group('realms')]
final class BalanceTest extends PoolTestCase
{
    private string $told;

    protected function setUp(): void
    {
        $this->told = (string) tempnam(sys_get_temp_dir(), 'howdah-balance');
        chmod($this->told, 0666);
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        array_map(unlink(...), glob("{$this->told}*") ?: []);
    }

    /** A worker that the machine keeps from its bell for 60 ms is not asked again (nginx/balance.c): so often a round is tried. */
    private const TRIES = 3;

    /** And of more than that each worker has its half. */
    #[DataProvider('modes')]
    #[Group('clock')]
    public function test_as_many_as_all_workers_serve_at_once_are_served_at_once(string $mode): void
    {
        $options = ['--workers=2', '--concurrency=2', '--warm=2', "--ini=pool.told={$this->told}"];
        $server = $this->ownServer($mode, ...$options);
        foreach ([4, 4, 4, 12] as $round => $requests) {
            $expected = [4, array_fill_keys($server->workers(), intdiv($requests, 2))];
            for ($try = 0, $served = null; $served != $expected; ++$try) {
                $try < self::TRIES || Clock::late("round $round is served by halves, not so: " . json_encode($served));
                $served = $this->serve($server, $requests, 4);
            }
        }
    }

    /**
     * No request ends before all have come: a busy machine makes it late, and changes nothing.
     *
     * @return array{int, array<string, int>} how many are served at once, and how many each worker has served
     */
    private function serve(Server $server, int $requests, int $atOnce): array
    {
        $clients = [];
        for ($number = 0; $number <= $requests; ++$number) {
            $taken = fn (): bool => $this->taken($server) === $number;
            self::assertTrue($server->eventually($taken), "nobody takes the connection $number");
            $clients[] = $number < $requests ? $this->open($server, '/gate') : null;
        }
        // Where it is fewer, no more come.
        $server->eventually(fn (): bool => count($this->told()) === $atOnce, 3);
        $serving = count($this->told());
        touch("{$this->told}.open");
        $answers = array_map(static fn (Http1 $client): string => (string) $client->read()?->body, array_filter($clients));
        unlink("{$this->told}.open");
        file_put_contents($this->told, '');
        self::assertLessThanOrEqual($atOnce, $serving);
        $served = array_count_values($answers);
        self::assertSame([$requests, []], [array_sum($served), array_diff(array_keys($served), $server->workers())]);

        return [$serving, $served];
    }

    #[DataProvider('modes')]
    public function test_a_worker_that_hears_nobody_keeps_nobody_waiting(string $mode): void
    {
        $server = $this->ownServer($mode, '--workers=2', '--concurrency=4', '--ini=ffi.enable=1');
        $door = new Door();
        $waiting = [$this->open($server, "/door?at={$door->path}"), $this->open($server, "/door?at={$door->path}")];
        $door->await(2);
        $cork = new Cork();
        $waiting[] = $this->open($server, "/sticks?at={$cork->path}");
        $cork->await();

        for ($client = 0; $client < 10; ++$client) {
            self::assertSame('front page', $this->open($server, '/')->read()?->body, $server->errors());
        }
        $cork->pull();
        $door->open();
        foreach ($waiting as $client) {
            self::assertSame(200, $client->read()?->status);
        }
    }

    /** What it told the others stays on the board until its successor starts. */
    public function test_nor_does_one_that_is_gone(): void
    {
        $server = $this->ownServer('classic', '--workers=2');
        foreach (array_map(fn (): Http1 => $this->open($server, '/wait?n=1'), range(1, 4)) as $client) {
            self::assertSame(200, $client->read()?->status, $server->errors());
        }
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

    /** @return list<string> the processes that serve a request, once for each */
    private function told(): array
    {
        return file($this->told, FILE_IGNORE_NEW_LINES) ?: [];
    }

    /** How many connections the workers have taken: those of the queue have no file yet (proc_net_tcp.rst of Linux). */
    private function taken(Server $server): int
    {
        $local = sprintf('0100007F:%04X', $server->port);
        preg_match_all("/^ *\\d+: $local \\S+ 01(?: +\\S+){5} +(\\d+)/m", (string) file_get_contents('/proc/net/tcp'), $lines);

        return count(array_filter($lines[1]));
    }
}
