<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** `howdah top` says who holds the lock that a request waits for. */
#[Group('realms')]
final class TopLockTest extends TopTestCase
{
    private string $file;

    protected function setUp(): void
    {
        parent::setUp();
        $this->file = "{$this->folder}/locked";
        touch($this->file);
        chmod($this->folder, 0777);
        chmod($this->file, 0666);
    }

    private function ask(string $action, string $at, string $more = ''): Http1
    {
        return (new Http1($this->port))->get("$action?at=$at$more&file={$this->file}");
    }

    private function awaitHolder(string $says): void
    {
        $line = "~: waits \\d+\\.\\d{3} s for the lock of \\S+, held by $says, at ~";
        $told = fn (): bool => preg_match($line, $this->whole()) === 1;
        Clock::await($told, fn (): string => "$says holds it: {$this->whole()}");
    }

    /** @return iterable<string, array{string, string, string}> mode, action, what its holder does meanwhile */
    public static function locks(): iterable
    {
        yield 'classic, flock' => ['classic', '/lock', 'waits'];
        yield 'worker, flock, the worker computes' => ['worker', '/lock', 'computes'];
        yield 'classic, fcntl, the worker computes' => ['classic', '/record', 'computes'];
        yield 'worker, fcntl' => ['worker', '/record', 'waits'];
    }

    /** As somebody would go about a lock that is stuck. */
    #[DataProvider('locks')]
    public function test_who_holds_it_is_named_and_when_it_is_ended_the_next_one_has_it(
        string $mode,
        string $action,
        string $does,
    ): void {
        $this->serve($mode, '');
        $door = new Door();
        $holds = $this->ask($action, $door->path, "&how=$does&first");
        $door->await();
        $holder = $this->nameOf("$action?at={$door->path}&how=$does&first");
        $waits = $this->ask($action, Door::newPath());
        $this->awaitHolder("request $holder");
        $by = array_column($this->requests(), 'held_by', 'for')['lock'];
        self::assertIsArray($by);
        [$worker, $number] = array_map(intval(...), explode('-', $holder));
        self::assertSame([$worker, $number], [$by['process'], $by['request']]);
        self::assertIsInt($by['realm']);
        $this->awaitStates([$does, 'waits']);

        $this->assertEnds($holder, "request $holder is ended");
        self::assertSame(504, $holds->read()?->status);
        self::assertSame(200, $waits->read()?->status);
        $this->awaitStates([]);
    }

    /** A library's descriptor, which PHP does not know, lives as long as the realm. */
    public function test_a_realm_without_a_request_is_named(): void
    {
        $this->serve('classic', '');
        $door = new Door();
        $leaves = $this->ask('/record', $door->path, '&how=leaves');
        $door->await();
        $waits = $this->ask('/record', Door::newPath());
        $this->awaitHolder('request \\d+-\\d+');
        $door->open();
        self::assertSame('opened', $leaves->read()?->body);
        $this->awaitHolder('realm \\d+, since an earlier request');
        posix_kill($this->workers()[0], SIGKILL);
        unset($waits);
    }

    /** In a static variable. Whom its realm serves now has nothing to do with it. */
    public function test_a_lock_of_an_earlier_request_is_not_blamed_on_another(): void
    {
        $this->serve('worker', '');
        self::assertSame('kept', $this->ask('/lock', '', '&how=keeps')->read()?->body);
        $other = "{$this->folder}/other";
        $door = new Door();
        // Its realm serves again: it is the one that was idle last.
        $innocent = (new Http1($this->port))->get("/lock?at={$door->path}&file=$other");
        $door->await();
        $waits = $this->ask('/lock', Door::newPath());
        $this->awaitHolder('realm \\d+, since an earlier request');
        $door->open();
        self::assertSame('opened', $innocent->read()?->body);
        posix_kill($this->workers()[0], SIGKILL);
        unset($waits);
    }

    public function test_another_process_and_another_worker_are_named(): void
    {
        $this->serve('classic', '');
        $mine = fopen($this->file, 'c');
        self::assertIsResource($mine);
        self::assertTrue(flock($mine, LOCK_EX));
        $door = new Door();
        $first = $this->ask('/lock', $door->path);
        $this->awaitHolder('process ' . getmypid());
        fclose($mine);
        $door->await();

        [$old] = $this->workers();
        posix_kill($this->master(), SIGHUP);
        $title = static fn (): string => (string) @file_get_contents("/proc/$old/cmdline");
        Clock::await(static fn (): bool => str_contains($title(), 'shutting down'), 'the old one takes no more requests');
        $second = $this->ask('/lock', Door::newPath());
        $this->awaitHolder("another worker, process $old");
        $door->open();
        self::assertSame('opened', $first->read()?->body);
        self::assertSame(200, $second->read()?->status);
    }
}
