<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** The server as a process: it serves many at once, drains, cleans up, and survives the loss of a worker. */
final class ServerTest extends HttpTestCase
{
    #[DataProvider('modes')]
    public function test_one_worker_serves_as_many_requests_at_once_as_it_has_realms(string $mode): void
    {
        $server = $this->ownServer($mode, '--concurrency=8');
        $uris = array_map(fn (int $id): string => "/sleep?ms=400&id=$id", range(1, 8));
        $server->client->all($uris);

        $start = microtime(true);
        $responses = $server->client->all($uris);
        $seconds = microtime(true) - $start;

        self::assertSame(
            array_map(strval(...), range(1, 8)),
            array_map(fn (Response $response): string => $response->body, $responses),
        );
        self::assertLessThan(0.8, $seconds);
        self::assertCount(1, $server->workers());
    }

    #[DataProvider('modes')]
    public function test_requests_beyond_the_realms_wait_their_turn(string $mode): void
    {
        $server = $this->ownServer($mode, '--concurrency=2');

        $start = microtime(true);
        $responses = $server->client->all(array_fill(0, 6, '/sleep?ms=200&id=5'));
        $seconds = microtime(true) - $start;

        self::assertSame(['5'], array_values(array_unique(array_map(fn (Response $r): string => $r->body, $responses))));
        self::assertGreaterThan(0.55, $seconds);
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
        $sent = false;

        $responses = $server->client->all(
            ['/sleep?ms=900&id=42'],
            function (float $seconds) use ($server, $signal, &$sent): void {
                if (!$sent && $seconds > 0.3) {
                    $sent = true;
                    $server->signal($signal);
                }
            },
        );

        self::assertSame([200, '42'], [$responses[0]->status, $responses[0]->body]);
        self::assertSame(0, $server->await(5), $server->errors());
        self::assertSame([], $server->leftovers());
        self::assertSame(0, $server->client->get('/')->status, 'something still listens');
    }

    #[DataProvider('modes')]
    public function test_a_request_that_outlasts_the_stop_timeout_is_cut_off(string $mode): void
    {
        $server = $this->ownServer($mode, '--stop-timeout=1');
        $sent = false;

        $start = microtime(true);
        $responses = $server->client->all(
            ['/sleep?ms=20000&id=42'],
            function (float $seconds) use ($server, &$sent): void {
                if (!$sent && $seconds > 0.3) {
                    $sent = true;
                    $server->signal(SIGTERM);
                }
            },
        );

        self::assertNotSame('42', $responses[0]->body);
        self::assertContains($server->await(12), [0, 1], $server->errors());
        self::assertLessThan(12, microtime(true) - $start);
        self::assertSame([], $server->leftovers());
    }

    public function test_signals_that_come_together_are_one_stop(): void
    {
        $server = $this->ownServer('classic');
        $sent = false;

        $responses = $server->client->all(
            ['/sleep?ms=900&id=42'],
            function (float $seconds) use ($server, &$sent): void {
                if (!$sent && $seconds > 0.3) {
                    $sent = true;
                    $server->signal(SIGTERM);
                    usleep(50_000);
                    $server->signal(SIGTERM);
                }
            },
        );

        self::assertSame('42', $responses[0]->body);
        self::assertSame(0, $server->await(5), $server->errors());
    }

    public function test_a_second_signal_stops_at_once(): void
    {
        $server = $this->ownServer('classic');
        $signals = 0;

        $start = microtime(true);
        $server->client->all(
            ['/sleep?ms=20000&id=42'],
            function (float $seconds) use ($server, &$signals): void {
                if ($seconds > 0.3 + $signals && $signals < 2) {
                    $signals++;
                    $server->signal(SIGINT);
                }
            },
        );

        self::assertSame(1, $server->await(10));
        self::assertLessThan(9, microtime(true) - $start);
        self::assertSame([], $server->leftovers());
    }

    #[DataProvider('modes')]
    public function test_a_killed_worker_is_replaced(string $mode): void
    {
        $server = $this->ownServer($mode);
        $before = (int) $server->client->get('/process')->body;
        self::assertSame([$before], $server->workers());

        posix_kill($before, SIGKILL);

        $another = fn (): bool => !in_array((int) $server->client->get('/process')->body, [0, $before], true);
        self::assertTrue($server->eventually($another));
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
        self::assertTrue($server->eventually(fn (): bool => $gone($master) && $gone($workers[0])));
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
