<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** `howdah top --end`: one request is ended, and nothing else. */
#[Group('realms')]
final class TopEndTest extends TopTestCase
{
    /** @return iterable<string, array{string, string, string}> */
    public static function requestsThatDoNotEnd(): iterable
    {
        foreach (['classic', 'worker'] as $mode) {
            yield "$mode, waits" => [$mode, '/tells?how=door', 'waits'];
            yield "$mode, computes" => [$mode, '/tells?how=computes', 'computes'];
        }
    }

    #[DataProvider('requestsThatDoNotEnd')]
    public function test_one_request_is_ended_and_its_realm_serves_the_next_one(string $mode, string $uri, string $state): void
    {
        $client = $this->serve($mode, '');
        $door = new Door();
        $told = "{$this->folder}/told";
        touch($told);
        chmod($told, 0666);
        $asked = (new Http1($this->port))->get("$uri&at={$door->path}&file=$told&number=1");
        $other = (new Http1($this->port))->get("/door?at={$door->path}");
        $door->await($state === 'waits' ? 2 : 1);
        $this->awaitStates([$state, 'waits']);
        $name = $this->nameOf('/tells');
        $this->assertEnds($name, "request $name is ended");
        self::assertSame(504, $asked->read()?->status);
        $this->awaitStates(['waits']);
        self::assertSame("1 begins\n", file_get_contents($told), 'no line more of its code has run');
        $line = 'howdah: ended by the operator \(howdah top\): answered 504; PHP was in \S+\.php on line \d+';
        self::assertMatchesRegularExpression("~\[error\] .*$line.*/tells~", $this->log());

        // Twice what the pool has of realms.
        foreach (range(1, 4) as $number) {
            self::assertSame("$number", $client->get("/echo?text=$number")->body);
        }
        $gone = $this->end($name);
        self::assertSame(1, $gone->status);
        self::assertStringStartsWith("howdah: request $name is not there: it has ended;", $gone->errors);
        $door->open();
        self::assertSame('opened', $other->read()?->body);
    }

    public function test_a_request_that_waits_for_a_realm_is_ended_too(): void
    {
        $this->serve('worker', '');
        $door = new Door();
        $asked = [];
        foreach (range(1, 2) as $number) {
            $asked[] = (new Http1($this->port))->get("/door?at={$door->path}&i=$number");
        }
        $door->await(2);
        $queued = (new Http1($this->port))->get('/queued');
        $this->awaitStates(['queued', 'waits', 'waits']);
        $name = $this->nameOf('/queued');
        $this->assertEnds($name, "request $name is ended");
        self::assertSame(503, $queued->read()?->status);
        self::assertStringContainsString('ended by the operator (howdah top) while it waited for a realm', $this->log());
        $door->open();
        foreach ($asked as $client) {
            self::assertSame('opened', $client->read()?->body);
        }
    }

    /** It is said so, nothing crashes, and the order stands. */
    public function test_what_c_code_holds_is_ended_when_that_returns(): void
    {
        $this->serve('classic', '');
        $door = new Door();
        $waits = (new Http1($this->port))->get("/door?at={$door->path}");
        $door->await();
        $name = $this->nameOf('/door');
        $cork = new Cork();
        $sticks = (new Http1($this->port))->get("/sticks?at={$cork->path}");
        $cork->await();
        $howdah = $this->end($name);
        self::assertSame(1, $howdah->status);
        $says = "~^howdah: request $name cannot be ended yet: worker \\d+ does not answer, because C code holds it~";
        self::assertMatchesRegularExpression($says, $howdah->errors);
        $cork->pull();
        self::assertSame('opened', $sticks->read()?->body);
        self::assertSame(504, $waits->read()?->status);
        $this->awaitStates([]);
    }

    public function test_a_worker_that_leaves_ends_its_requests_as_well_and_numbers_do_not_come_again(): void
    {
        $this->serve('worker', '');
        $door = new Door();
        $old = (new Http1($this->port))->get("/door?at={$door->path}");
        $door->await();
        [$worker] = $this->workers();
        $name = $this->nameOf('/door');
        posix_kill($this->master(), SIGHUP);
        Clock::await(fn (): bool => count($this->workers()) === 2, 'a new worker is there');
        $title = static fn (): string => (string) @file_get_contents("/proc/$worker/cmdline");
        Clock::await(static fn (): bool => str_contains($title(), 'shutting down'), 'the old one takes no more requests');
        $new = (new Http1($this->port))->get("/door?at={$door->path}&new");
        $door->await(2);
        $other = $this->nameOf("/door?at={$door->path}&new");
        self::assertGreaterThan((int) explode('-', $name)[1], (int) explode('-', $other)[1]);
        $this->assertEnds($name, "request $name is ended");
        self::assertSame(504, $old->read()?->status);
        Clock::await(fn (): bool => !in_array($worker, $this->workers(), true), 'the old worker has gone');
        self::assertSame(1, $this->end($name)->status, 'its worker has gone');
        $door->open();
        self::assertSame('opened', $new->read()?->body);
    }

    public function test_two_ends_at_once_end_the_two(): void
    {
        $this->serve('worker', '');
        $door = new Door();
        $asked = [];
        foreach (range(1, 2) as $number) {
            $asked[] = (new Http1($this->port))->get("/door?at={$door->path}&i=$number");
        }
        $door->await(2);
        $names = array_map(fn (int $number): string => $this->nameOf("/door?at={$door->path}&i=$number"), [1, 2]);
        $processes = [];
        foreach ([...$names, ...$names] as $name) {
            $command = [PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah', 'top', "--end=$name", "--pid={$this->master()}"];
            $process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes);
            self::assertIsResource($process);
            $processes[] = [$process, $pipes];
        }
        foreach ($processes as [$process, $pipes]) {
            $said = stream_get_contents($pipes[1]) . stream_get_contents($pipes[2]);
            self::assertMatchesRegularExpression('/is ended|ends already|is not there|cannot be ended yet/', $said);
            proc_close($process);
        }
        foreach ($asked as $client) {
            self::assertSame(504, $client->read()?->status);
        }
        self::assertSame(2, substr_count($this->log(), 'ended by the operator'));
    }

    public function test_what_is_no_request_ends_nothing(): void
    {
        self::assertStringStartsWith('howdah: --end=17: give a request as', Howdah::run(['top', '--end=17'])->errors);
        $this->serve('worker', '');
        [$worker] = $this->workers();
        foreach (["$worker-999999", '1-1'] as $name) {
            $howdah = $this->end($name);
            self::assertSame(1, $howdah->status);
            $says = "howdah: request $name is not there: it has ended; nothing else was ended in its place\n";
            self::assertSame($says, $howdah->errors);
        }
    }
}
