<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\Group;

/** Reference cycles that worker-mode requests leave are collected while nobody waits, long before PHP's own 10,001 roots. */
#[Group('realms')]
final class GarbageTest extends PoolTestCase
{
    private string $told;

    protected function setUp(): void
    {
        $this->told = (string) tempnam(sys_get_temp_dir(), 'howdah-told-');
        chmod($this->told, 0666);
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        unlink($this->told);
    }

    public function test_a_realm_that_is_idle_between_requests_collects_its_cycles(): void
    {
        $server = $this->ownServer('worker', '--concurrency=1');
        $server->client->get('/');
        $before = self::megabytes($server);
        for ($request = 0; $request < 20; $request++) {
            $server->client->get('/cycles?n=20000');
            // Nobody asks it for anything.
            Clock::await(static fn (): bool => self::megabytes($server) < $before + 8, 'the 20 MB that were left are free');
        }

        self::assertSame(20, self::counted($server, 'collections'));
    }

    public function test_memory_stays_bounded_under_load_that_leaves_no_realm_idle(): void
    {
        $server = $this->ownServer('worker', '--concurrency=2');
        $server->client->all(array_fill(0, 4, '/cycles?n=1024'));
        $before = self::megabytes($server);
        for ($round = 0; $round < 10; $round++) {
            $server->client->all(array_fill(0, 40, '/cycles?n=1024'));
        }

        self::assertLessThan($before + 40, self::megabytes($server), 'of 400 MB that were left');
        self::assertLessThanOrEqual(2, self::counted($server, 'births'), 'nobody was replaced');
    }

    public function test_destructors_that_run_then_print_to_the_log_and_throw_without_harm(): void
    {
        $server = $this->ownServer('worker', '--concurrency=1', "--ini=pool.told={$this->told}");
        $server->client->get('/prints?n=3000');
        self::assertTrue($server->eventually(fn (): bool => $this->isTold('printed by a destructor')));
        $server->client->get('/throws?n=3000');
        self::assertTrue($server->eventually(fn (): bool => $this->isTold('thrown by a destructor')));
        self::assertTrue($server->eventually(fn (): bool => str_contains($server->errors(), 'Uncaught RuntimeException')));

        self::assertSame('front page', $server->client->get('/')->body);
        self::assertSame(1, self::counted($server, 'births'));
    }

    public function test_a_destructor_that_waits_keeps_its_realm_and_no_other(): void
    {
        $server = $this->ownServer('worker', '--concurrency=2', "--ini=pool.told={$this->told}");
        $door = new Door();
        $server->client->get("/waits?n=3000&at={$door->path}");
        $door->await();

        self::assertSame('front page', $server->client->get('/')->body);
        self::assertSame(2, self::counted($server, 'busy'));
        $door->open();
        self::assertTrue($server->eventually(fn (): bool => $this->isTold('a destructor has waited')));
        self::assertTrue($server->eventually(fn (): bool => self::counted($server, 'busy') === 1));
    }

    public function test_a_destructor_that_does_not_end_loses_its_realm_its_place(): void
    {
        $server = $this->ownServer('worker', '--concurrency=1', '--request-timeout=2');
        $door = new Door();
        self::assertServed('left', $server->client->get("/waits?n=3000&at={$door->path}"), 1.99);
        $door->await();

        self::assertServed('front page', $server->client->get('/'), 1.99);
        self::assertSame(1, $door->count(), 'somebody has let it out');
        self::assertStringContainsString('a destructor does not end', $server->errors());
        self::assertTrue($server->eventually(fn (): bool => self::counted($server, 'realms') === 1));
    }

    public function test_a_destructor_that_ends_the_script_ends_its_realm(): void
    {
        $server = $this->ownServer('worker', '--concurrency=1');
        $workers = $server->workers();
        foreach (['/exits?n=3000', '/fails?n=3000'] as $number => $action) {
            $server->client->get($action);
            self::assertTrue($server->eventually(fn (): bool => self::deaths($server, 'script') === $number + 1), $action);
        }

        self::assertSame('front page', $server->client->get('/')->body);
        self::assertSame($workers, $server->workers());
    }

    public function test_an_idle_classic_realm_gives_back_what_its_largest_request_took(): void
    {
        $server = $this->ownServer('classic', '--concurrency=1');
        $server->client->get('/');
        $before = self::megabytes($server);
        // The next request is there already: the realm is not idle until that one ends.
        [$first, $second] = [new Door(), new Door()];
        $large = (new Http1($server->port))->get("/hold?n=60&at={$first->path}");
        $first->await();
        $next = (new Http1($server->port))->get("/door?at={$second->path}");
        // nginx has heard of it.
        self::assertSame("a file of nginx\n", $server->client->get('/file.txt')->body);
        $first->open();
        self::assertSame('60', $large->read()?->body);
        $second->await();
        $kept = self::megabytes($server);
        $second->open();
        self::assertSame('opened', $next->read()?->body);

        self::assertGreaterThan($before + 20, $kept, 'PHP keeps half of its chunks');
        self::assertTrue($server->eventually(fn (): bool => self::megabytes($server) < $before + 6), 'after a second');
        self::assertSame(1, self::counted($server, 'births'));
    }

    private function isTold(string $what): bool
    {
        return str_contains((string) file_get_contents($this->told), $what);
    }
}
