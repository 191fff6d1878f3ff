<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Late;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** What goes wrong in one request stays in it. */
#[Group('realms')]
final class FailureTest extends HttpTestCase
{
    /** @return iterable<string, array{string, string, string}> mode, action, what is logged */
    public static function failures(): iterable
    {
        foreach (['classic', 'worker'] as $mode) {
            yield "$mode: an uncaught exception" => [$mode, '/exception', 'thrown on purpose'];
            yield "$mode: an undefined function" => [$mode, '/undefined', 'undefined function no_such_function'];
            yield "$mode: a fatal error" => [$mode, '/fatal', 'Class Broken'];
            yield "$mode: memory exhausted" => [$mode, '/memory', 'Allowed memory size of 33554432 bytes exhausted'];
            yield "$mode: recursion without end" => [$mode, '/recursion', 'Allowed memory size of 33554432 bytes exhausted'];
            yield "$mode: recursion through C code" => [$mode, '/c-recursion', 'Maximum call stack size of 83'];
        }
    }

    #[DataProvider('failures')]
    public function test_a_request_that_fails_gets_a_500_and_its_neighbours_do_not_notice(
        string $mode,
        string $action,
        string $message,
    ): void {
        $server = $this->server($mode);
        $workers = $server->workers();

        $responses = $server->client->all(['/sleep?ms=400&id=1', '/sleep?ms=400&id=2', $action, '/sleep?ms=300&id=3']);

        self::assertSame(500, $responses[2]->status, $responses[2]->body);
        self::assertSame(['1', '2', '3'], [$responses[0]->body, $responses[1]->body, $responses[3]->body]);
        self::assertTrue($server->eventually(fn (): bool => str_contains($server->errors(), $message)));
        self::assertSame('front page', $server->client->get('/')->body);
        self::assertSame($workers, $server->workers(), 'a worker was lost');
    }

    #[DataProvider('modes')]
    public function test_failures_one_after_another_leave_every_realm_serving(string $mode): void
    {
        $server = $this->server($mode);
        $workers = $server->workers();
        foreach (array_fill(0, 8, ['/exception', '/memory', '/exit', '/fatal']) as $actions) {
            $server->client->all([...$actions, ...$actions]);
        }

        $answers = array_map(
            fn (Response $response): string => $response->body,
            $server->client->all(array_map(fn (int $id): string => "/sleep?ms=20&id=$id", range(1, 40))),
        );

        self::assertSame(array_map(strval(...), range(1, 40)), $answers);
        self::assertSame($workers, $server->workers(), 'a worker was lost');
    }

    #[DataProvider('modes')]
    public function test_exit_ends_the_request_with_what_was_written(string $mode): void
    {
        $client = $this->server($mode)->client;
        foreach (range(1, 5) as $ignored) {
            $response = $client->get('/exit');

            self::assertSame([200, 'before exit'], [$response->status, $response->body]);
        }
        self::assertSame('front page', $client->get('/')->body);
    }

    /** A program that is left running must not keep a client waiting for the end of its connection, nor the port. */
    #[DataProvider('modes')]
    public function test_programs_that_requests_start_inherit_no_socket(string $mode): void
    {
        $server = $this->ownServer($mode);
        $others = ['/sleep?ms=300&id=1', '/sleep?ms=300&id=2'];

        $children = $server->client->all(['/background', ...$others])[0]->json();

        self::assertSame(['exec' => '', 'proc_open' => '', 'popen' => ''], $children);
    }

    public function test_a_realm_that_ends_is_replaced_before_somebody_needs_it(): void
    {
        $path = Door::newPath();
        $boots = ['--worker-script=' . self::APP . '/boots-slowly.php', "--ini=app.door=$path"];
        $server = $this->ownServer('worker', '--concurrency=1', ...$boots);
        self::assertSame(200, $server->client->get('/')->status);
        $door = new Door($path);
        $server->client->get('/exit');

        // It boots, and no request has come.
        $door->await()->open();

        self::assertSame('front page', $server->client->get('/')->body);
    }

    #[DataProvider('modes')]
    public function test_an_exception_after_the_first_output_ends_the_response(string $mode): void
    {
        $client = $this->server($mode)->client;

        self::assertStringStartsWith('half', $client->get('/late-exception')->body);
        self::assertSame('front page', $client->get('/')->body);
    }

    #[DataProvider('modes')]
    public function test_a_client_that_goes_away_leaves_the_realm_usable(string $mode): void
    {
        $server = $this->server($mode);
        $workers = $server->workers();
        $server->client->all(array_fill(0, 20, ['/sleep?ms=300&id=1', [CURLOPT_TIMEOUT_MS => 50]]));
        $server->client->all(array_fill(0, 20, ['/output?bytes=50000000', [CURLOPT_TIMEOUT_MS => 20]]));

        self::assertSame('7', $server->client->get('/sleep?ms=1&id=7')->body);
        self::assertSame($workers, $server->workers(), 'a worker was lost');
    }

    /** @return iterable<string, array{string, string}> */
    public static function bootFailures(): iterable
    {
        yield 'it exits' => ['exits-at-boot.php', 'exits-at-boot.php'];
        yield 'it throws' => ['throws-at-boot.php', 'thrown during boot'];
    }

    #[DataProvider('bootFailures')]
    public function test_a_worker_script_that_does_not_boot_is_named_and_does_not_hang(string $script, string $named): void
    {
        $server = $this->keep(new Server(self::APP, ['--workers=1', '--worker-script=' . self::APP . "/$script"]));
        try {
            $server->awaitReady();
        } catch (Late $late) {
            throw $late;
        } catch (\RuntimeException) {
            self::assertSame(1, $server->await());
        }
        if ($server->isRunning()) {
            self::assertContains($server->client->get('/')->status, [500, 503]);
        }
        self::assertTrue($server->eventually(fn (): bool => str_contains($server->errors(), $named)), $server->errors());
    }
}
