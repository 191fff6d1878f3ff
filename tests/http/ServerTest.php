<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;

/** The server as a process: it serves many at once, drains, cleans up, and survives the loss of a worker. */
final class ServerTest extends HttpTestCase
{
    /** What the command says when it has been told to stop (cli/src/Server.php). */
    private const STOPS = 'stopping: running requests may take';
    private const OFFERS = 'requests are still running: a second Ctrl-C, or SIGTERM, cuts them off now';

    #[DataProvider('modes')]
    public function test_one_worker_serves_as_many_requests_at_once_as_it_has_realms(string $mode): void
    {
        $server = $this->ownServer($mode, '--concurrency=8');
        foreach (['first', 'again'] as $time) {
            $door = new Door();
            $uris = array_map(static fn (int $id): string => "/door?at={$door->path}&id=$id", range(1, 8));

            // Nobody goes on before all eight are there.
            $responses = $server->client->all($uris, static function () use ($door): void {
                $door->count() === 8 && $door->open();
            });

            self::assertSame(
                array_map(strval(...), range(1, 8)),
                array_map(static fn (Response $response): string => $response->body, $responses),
                $time,
            );
        }
        self::assertCount(1, $server->workers());
    }

    #[DataProvider('modes')]
    public function test_requests_beyond_the_realms_wait_their_turn(string $mode): void
    {
        $server = $this->ownServer($mode, '--concurrency=2');

        $clock = Clock::start();
        $responses = $server->client->all(array_fill(0, 6, '/sleep?ms=200&id=5'));

        $clock->assertPassed(0.55, 'three times two');
        self::assertSame(['5'], array_values(array_unique(array_map(fn (Response $r): string => $r->body, $responses))));
    }

    /** @return iterable<string, array{string, int}> */
    public static function stops(): iterable
    {
        foreach (['classic', 'worker'] as $mode) {
            yield "$mode, SIGTERM" => [$mode, SIGTERM];
            yield "$mode, SIGINT" => [$mode, SIGINT];
        }
    }

    #[DataProvider('stops')]
    public function test_a_stop_lets_the_running_request_end(string $mode, int $signal): void
    {
        $server = $this->ownServer($mode);
        $door = new Door();
        $request = $this->request($server, $door);

        $server->signal($signal);
        $this->awaitLine($server, self::STOPS);
        $door->open();

        $response = $request->read();
        self::assertSame([200, '42'], [$response?->status, $response?->body]);
        self::assertSame(0, $server->await(Clock::PATIENCE), $server->errors());
        self::assertSame([], $server->leftovers());
        self::assertSame(0, $server->client->get('/')->status, 'something still listens');
    }

    #[DataProvider('modes')]
    public function test_a_request_that_outlasts_the_stop_timeout_is_cut_off(string $mode): void
    {
        $server = $this->ownServer($mode, '--stop-timeout=1');
        $door = new Door();
        $request = $this->request($server, $door);

        $server->signal(SIGTERM);

        // It ends, although nothing lets the request go on.
        self::assertContains($server->await(Clock::PATIENCE), [0, 1], $server->errors());
        self::assertNotSame('42', $request->read()?->body);
        self::assertSame([], $server->leftovers());
    }

    /** A process group that is stopped may be told twice (cli/src/Server.php). */
    public function test_signals_that_come_together_are_one_stop(): void
    {
        $server = $this->ownServer('classic');
        $door = new Door();
        $request = $this->request($server, $door);

        // Both wait while it stands still: two signals, but one moment. What comes after the offer is a second wish.
        $server->signal(SIGSTOP);
        $server->signal(SIGTERM);
        $server->signal(SIGINT);
        $server->signal(SIGCONT);
        $this->awaitLine($server, self::OFFERS);
        $door->open();

        self::assertSame('42', $request->read()?->body);
        self::assertSame(0, $server->await(Clock::PATIENCE), $server->errors());
    }

    public function test_it_says_nothing_of_having_stood_still(): void
    {
        $server = $this->ownServer('classic');
        $server->signal(SIGSTOP);
        $stat = static fn (): string => (string) file_get_contents("/proc/$server->pid/stat");
        self::assertTrue(Clock::await(static fn (): bool => preg_match('/\) T /', $stat()) === 1, $stat));
        $server->signal(SIGCONT);
        $server->signal(SIGHUP);
        $this->awaitLine($server, 'howdah: reloaded');

        self::assertStringNotContainsString('PHP Warning', $server->errors());
    }

    public function test_a_second_signal_stops_at_once(): void
    {
        $server = $this->ownServer('classic', '--stop-timeout=600');
        $door = new Door();
        $request = $this->request($server, $door);

        $server->signal(SIGINT);
        $this->awaitLine($server, self::OFFERS);
        $server->signal(SIGINT);

        self::assertSame(1, $server->await(), 'although nothing lets the request go on');
        self::assertNotSame('42', $request->read()?->body);
        self::assertSame([], $server->leftovers());
    }

    /** It is at the door. */
    private function request(Server $server, Door $door): Http1
    {
        $request = (new Http1($server->port))->get("/door?at={$door->path}&id=42", "Connection: close\r\n");
        $door->await();

        return $request;
    }

    #[DataProvider('modes')]
    public function test_a_killed_worker_is_replaced(string $mode): void
    {
        $server = $this->ownServer($mode);
        $before = (int) $server->client->get('/process')->body;
        self::assertSame([$before], $server->workers());

        posix_kill($before, SIGKILL);

        $another = fn (): bool => !in_array((int) $server->client->get('/process')->body, [0, $before], true);
        Clock::await($another, 'another worker serves');
        self::assertSame('front page', $server->client->get('/')->body);
        self::assertTrue($server->isRunning());
    }

    public function test_nginx_dies_with_the_command(): void
    {
        $server = $this->ownServer('classic');
        $master = $server->master();
        $workers = $server->workers();

        $server->signal(SIGKILL);

        self::assertSame(128 + SIGKILL, $server->await());
        // Gone, or waiting for whoever inherited it to notice.
        $gone = static fn (int $pid): bool => preg_match('/\) [^Z]/', (string) @file_get_contents("/proc/$pid/stat")) !== 1;
        Clock::await(static fn (): bool => $gone($master) && $gone($workers[0]), 'nginx has gone');
    }

    public function test_a_port_in_use_is_one_clear_message(): void
    {
        $first = $this->ownServer('classic');

        $second = $this->keep(new Server(self::APP, ["--listen=127.0.0.1:{$first->port}"]));

        self::assertSame(1, $second->await());
        self::assertMatchesRegularExpression(
            "/^howdah: cannot listen on 127\.0\.0\.1:{$first->port}: the port is in use.*\n$/D",
            $second->errors(),
        );
        self::assertSame([], $second->leftovers());
        self::assertSame('front page', $first->client->get('/')->body);
    }

    public function test_a_setting_that_php_does_not_know_or_nginx_refuses_never_hangs(): void
    {
        $server = $this->keep(new Server(self::APP, ['--mode=classic', '--ini=memory_limit=$no"such\\thing']));
        try {
            $server->awaitReady();
            self::assertNotSame(0, $server->client->get('/')->status);
        } catch (\RuntimeException) {
            self::assertSame(1, $server->await());
        }
    }

    #[DataProvider('modes')]
    public function test_php_gets_the_exit_status_of_its_children(string $mode): void
    {
        self::assertSame('[7,6]', $this->server($mode)->client->get('/children')->body);
    }
}
