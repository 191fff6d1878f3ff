<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** After fastcgi_finish_request() the script goes on, and its connection is free for the client's next request. */
#[Group('flow')]
#[Group('other')]
final class PartingTest extends HttpTestCase
{
    private string $file;

    protected function setUp(): void
    {
        $this->file = sys_get_temp_dir() . '/howdah-parting-' . bin2hex(random_bytes(6));
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        array_map(unlink(...), glob("{$this->file}*") ?: []);
    }

    #[DataProvider('modes')]
    public function test_the_next_request_does_not_wait_for_the_script(string $mode): void
    {
        $server = $this->server($mode);
        $door = new Door();
        $client = new Http1($server->port);

        foreach (range(1, 5) as $time) {
            $first = $client->get($this->finish($door, $time))->read();
            self::assertSame([200, 'early'], [$first?->status, $first?->body]);
            self::assertSame('keep-alive', $first?->header('Connection'));
            $door->await($time);
            self::assertSame('front page', self::ask($client, '/'), "time $time");
            self::assertStringContainsString('{', (string) self::ask($client, '/files/style.css'), 'a file');
        }
        self::assertSame(5, $door->count());
        $door->open();

        foreach (range(1, 5) as $time) {
            $this->awaitFile("{$this->file}-$time");
        }
        self::assertSame('front page', self::ask($client, '/'));
    }

    /** What nginx has read of it already is not lost. */
    #[DataProvider('modes')]
    public function test_requests_that_were_sent_ahead_are_answered_in_their_order(string $mode): void
    {
        $door = new Door();
        $client = new Http1($this->server($mode)->port);
        $long = '/echo?long=' . str_repeat('x', 3000);

        $client->send("GET {$this->finish($door, 1)} HTTP/1.1\r\nHost: x\r\n\r\nPOST $long HTTP/1.1\r\nHost: x\r\n"
            . "Content-Length: 3\r\n\r\na=1GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        $bodies = array_map(static fn (): ?string => $client->read()?->body, range(1, 3));

        $told = json_decode((string) $bodies[1], true);
        self::assertIsArray($told);
        self::assertSame(['early', 'front page'], [$bodies[0], $bodies[2]]);
        self::assertIsArray($told['get']);
        self::assertSame(str_repeat('x', 3000), $told['get']['long'] ?? null);
        $door->await()->open();
        $this->awaitFile("{$this->file}-1");
    }

    /** As soon as it has all. */
    #[DataProvider('modes')]
    public function test_a_client_that_reads_slowly_need_not_wait_either(string $mode): void
    {
        $door = new Door();
        $client = new Http1($this->server($mode)->port);

        $client->get($this->finish($door, 1) . '&bytes=3000000');
        $door->await();
        self::assertSame(3_000_005, strlen((string) $client->read()?->body));
        self::assertSame('front page', self::ask($client, '/'));

        $door->open();
        $this->awaitFile("{$this->file}-1");
    }

    /** @return iterable<string, array{string, string}> */
    public static function endings(): iterable
    {
        foreach (['classic', 'worker'] as $mode) {
            yield "$mode, at once" => [$mode, ''];
            yield "$mode, after another answer" => [$mode, '/'];
        }
    }

    #[DataProvider('endings')]
    public function test_a_client_that_leaves_does_not_end_the_script(string $mode, string $next): void
    {
        $server = $this->server($mode);
        $door = new Door();
        $client = new Http1($server->port);
        self::assertSame('early', $client->get($this->finish($door, 1))->read()?->body);
        $door->await();
        if ($next !== '') {
            self::assertSame('front page', $client->get($next)->read()?->body);
        }

        unset($client);
        self::assertSame('front page', $server->client->get('/')->body, 'the worker has heard of it');
        $door->open();

        $this->awaitFile("{$this->file}-1");
        self::assertStringEqualsFile("{$this->file}-1", "late [\"127.0.0.1\",\"127.0.0.1\",\"{$server->port}\"]");
    }

    #[DataProvider('modes')]
    public function test_nothing_is_left_and_a_stop_waits_for_no_client(string $mode): void
    {
        $server = $this->ownServer($mode);
        $worker = $server->workers()[0];
        $count = static fn (): int => count(scandir("/proc/$worker/fd") ?: []);
        $clients = [];
        $round = function () use ($server, &$clients): void {
            $door = new Door();
            $clients = array_map(static fn (): Http1 => new Http1($server->port), range(1, 8));
            foreach ($clients as $number => $client) {
                self::assertSame('early', $client->get($this->finish($door, $number))->read()?->body);
            }
            $door->await(8)->open();
            foreach (array_keys($clients) as $number) {
                $this->awaitFile("{$this->file}-$number");
                unlink("{$this->file}-$number");
            }
            self::assertSame('front page', $clients[0]->get('/')->read()?->body);
        };
        $round();
        $before = $count();
        array_map($round, range(1, 3));
        Clock::await(static fn (): bool => $count() <= $before, static fn (): string => "{$count()} descriptors, not $before");

        $server->signal(SIGTERM);

        self::assertSame(0, $server->await(), $server->errors());
        self::assertDoesNotMatchRegularExpression('/\[(emerg|alert|crit)\]|exited on|were still running/', $server->errors());
    }

    private static function ask(Http1 $client, string $uri): ?string
    {
        return $client->get($uri)->read()?->body;
    }

    private function finish(Door $door, int $number): string
    {
        return "/finish?at={$door->path}&file={$this->file}-$number";
    }

    private function awaitFile(string $file): void
    {
        Clock::await(static fn (): bool => @file_get_contents($file) !== false, "$file is written");
    }
}
