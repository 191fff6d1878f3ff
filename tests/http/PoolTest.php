<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** How realms come and go. */
#[Group('realms')]
final class PoolTest extends PoolTestCase
{
    /** Where boots wait while the test keeps it closed; so whoever would wait for a boot would wait for ever. */
    private string $path;

    protected function setUp(): void
    {
        $this->path = Door::newPath();
    }

    /** Once it is warm: no boot is on its way. */
    private function warm(string ...$options): Server
    {
        $server = $this->ownServer('worker', "--ini=pool.door={$this->path}", ...array_values($options));
        Clock::await(static fn (): bool => self::counted($server, 'booting') === 0, 'all are warm');

        return $server;
    }

    public function test_nobody_waits_for_a_boot_while_realms_are_replaced(): void
    {
        $server = $this->warm('--concurrency=4', '--warm=4', '--max-requests=10');
        $ask = static function () use ($server): void {
            foreach ($server->client->all(array_fill(0, 4, '/wait?n=5')) as $response) {
                self::assertSame('waited', $response->body);
            }
        };

        $boots = new Door($this->path);
        for ($round = 0; $round < 30; $round++) {
            $ask();
        }
        $boots->await();
        self::assertSame(0, self::deaths($server, 'requests'), 'one went before its successor had booted');
        $boots->open();
        Clock::await(static function () use ($server, $ask): bool {
            $ask();

            return self::deaths($server, 'requests') > 2;
        }, 'they are replaced');

        self::assertSame(0, self::deaths($server, 'script'));
    }

    /** One left by each death would be twice as many as what else may have come or gone. */
    #[DataProvider('modes')]
    public function test_realms_that_end_leave_no_descriptor(string $mode): void
    {
        $server = $this->ownServer($mode, '--concurrency=1', '--max-requests=1');
        $open = static fn (): int => count(glob("/proc/{$server->workers()[0]}/fd/*") ?: []);
        $deaths = self::deaths($server, 'requests');
        $before = $open();

        for ($request = 0; $request < 40; $request++) {
            self::assertSame('front page', $server->client->get('/')->body);
        }

        self::assertLessThan($before + 20, $open());
        // The last one may not have ended yet.
        self::assertGreaterThanOrEqual($deaths + 39, self::deaths($server, 'requests'));
    }

    public function test_a_request_that_finds_no_realm_takes_the_first_that_is_free_not_the_one_that_boots(): void
    {
        $server = $this->warm('--concurrency=2', '--warm=1');
        $boots = new Door($this->path);
        $door = new Door();

        $first = (new Http1($server->port))->get("/door?at={$door->path}");
        $door->await();
        $second = (new Http1($server->port))->get('/wait?n=1');
        $boots->await();
        $door->open();

        self::assertSame('opened', $first->read()?->body);
        self::assertSame('waited', $second->read()?->body);
        $boots->open();
        Clock::await(static fn (): bool => self::counted($server, 'realms') === 2, 'it boots all the same');
    }

    public function test_realms_are_not_all_replaced_at_once(): void
    {
        $server = $this->ownServer('classic', '--concurrency=8', '--max-requests=80');
        $clients = array_map(static fn (): Http1 => new Http1($server->port), range(1, 8));
        // Each realm has one of eight that are there at once.
        $ask = static function (int $rounds) use ($clients): void {
            for ($round = 0; $round < $rounds; $round++) {
                $door = new Door();
                array_map(static fn (Http1 $client): Http1 => $client->get("/door?at={$door->path}"), $clients);
                $door->await(8)->open();
                foreach ($clients as $client) {
                    self::assertSame('opened', $client->read()?->body);
                }
            }
        };

        $ask(71);
        $early = self::deaths($server, 'requests');
        $ask(12);

        self::assertLessThan(8, $early);
        Clock::await(static fn (): bool => self::deaths($server, 'requests') >= 6, 'six are replaced');
    }

    public function test_a_boot_that_fails_in_the_background_leaves_the_old_realms_serving(): void
    {
        $broken = (string) tempnam(sys_get_temp_dir(), 'howdah-broken-');
        unlink($broken);
        $server = $this->ownServer('worker', "--ini=pool.broken=$broken", '--concurrency=2', '--max-requests=5');
        $server->client->get('/');
        $clock = Clock::start();
        touch($broken);
        try {
            Clock::await(static function () use ($server): bool {
                for ($request = 0; $request < 20; $request++) {
                    self::assertSame('front page', $server->client->get('/')->body);
                }

                return self::deaths($server, 'boot') >= 2;
            }, 'boots fail');
            self::assertStringContainsString('the application is broken', $server->errors());
            self::assertStringContainsString('a realm did not boot: the 1 that there are go on', $server->errors());
        } finally {
            unlink($broken);
        }
        Clock::await(static fn (): bool => self::deaths($server, 'requests') > 0, 'it boots again');
        $failures = self::deaths($server, 'boot');
        // A fifth of a second after the first failure, then two, then four.
        $clock->assertPassed(0.97 * 0.2 * (2 ** $failures - 1), "the pauses between $failures failures grow");
    }

    public function test_a_realm_whose_heap_is_above_the_mark_is_replaced(): void
    {
        $options = ["--ini=pool.door={$this->path}", '--concurrency=1', '--realm-memory=16M'];
        $server = $this->ownServer('worker', ...$options);
        $boots = new Door($this->path);
        self::assertSame('10', $server->client->get('/hold?n=10')->body);
        self::assertSame('20', $server->client->get('/hold?n=10')->body);

        $boots->await();
        self::assertSame('front page', $server->client->get('/')->body, 'the old one serves until its successor has booted');
        self::assertSame(0, self::deaths($server, 'memory'));
        $boots->open();
        Clock::await(static fn (): bool => self::deaths($server, 'memory') === 1, 'it is replaced');

        self::assertSame('1', $server->client->get('/hold?n=1')->body, 'another realm');
        self::assertStringContainsString('more than howdah_realm_memory: it is replaced', $server->errors());
    }

    public function test_a_mark_below_what_the_application_needs_to_boot_is_said_and_left_out(): void
    {
        $server = $this->ownServer('worker', '--concurrency=1', '--realm-memory=1M');
        $server->client->all(array_fill(0, 20, '/'));

        self::assertSame(1, self::counted($server, 'births'));
        self::assertStringContainsString('raise howdah_realm_memory', $server->errors());
    }

    public function test_a_classic_realm_that_keeps_too_much_is_replaced(): void
    {
        $server = $this->ownServer('classic', '--concurrency=1', '--realm-memory=16M');
        $server->client->get('/hold?n=60');

        Clock::await(static fn (): bool => self::deaths($server, 'memory') === 1, 'it is replaced');
    }

    #[DataProvider('modes')]
    public function test_a_worker_goes_back_to_its_resting_memory_after_a_peak(string $mode): void
    {
        $server = $this->ownServer($mode, '--concurrency=512', '--warm=2', '--idle-timeout=2');
        $server->client->all(array_fill(0, 4, '/wait?n=10'));
        $before = self::megabytes($server);

        $door = new Door();
        $clock = Clock::start();
        $peak = $births = 0.0;
        $went = null;
        $look = static function () use ($server, $door, $clock, &$peak, &$births, &$went): void {
            if ($went === null && $door->count() === 511) {
                $births = $clock->seconds();
                $peak = self::megabytes($server);
                self::assertSame(512, self::counted($server, 'realms'));
                $went = Clock::start();
                $door->open();
            }
        };
        $server->client->all(array_fill(0, 511, "/door?at={$door->path}"), $look);
        self::assertNotNull($went);
        self::assertGreaterThan($before + 40, $peak);
        Clock::await(static fn (): bool => self::counted($server, 'realms') === 2, 'realms stay');

        $went->assertPassed(1.0, 'they went before their time');
        self::assertLessThan($before + ($peak - $before) * 0.2, self::megabytes($server), "MB, $before before, $peak at peak");
        $again = Clock::start();
        $door = new Door();
        $server->client->all(array_fill(0, 64, "/door?at={$door->path}"), static function () use ($door): void {
            $door->count() === 64 && $door->open();
        });
        $again->assertWithin(1.0 + $births, 'births after that: 64, where 511 took as long before, and a second');
    }

    public function test_the_minimum_boots_before_the_first_request_and_stays(): void
    {
        $boots = new Door($this->path);
        $options = ["--ini=pool.door={$this->path}", '--concurrency=8', '--warm=3', '--idle-timeout=1'];
        $server = $this->keep(new Server(self::APP, [...self::options('worker'), ...$options]));
        $boots->await(3)->open();
        $server->awaitReady();
        Clock::await(static fn (): bool => self::counted($server, 'booting') === 0, 'they boot');
        $boots = new Door($this->path);
        usleep(2_500_000); // they are idle for longer than that time

        self::assertSame(3, self::counted($server, 'realms'));
        self::assertSame(3, self::counted($server, 'births'));
        self::assertSame(0, $boots->count());
    }
}
