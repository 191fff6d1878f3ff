<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** How realms come and go. */
final class PoolTest extends PoolTestCase
{
    private const BOOT = '--ini=pool.boot_ms=300';

    public function test_nobody_waits_for_a_boot_while_realms_are_replaced(): void
    {
        $server = $this->ownServer('worker', self::BOOT, '--concurrency=4', '--warm=4', '--max-requests=10');
        self::assertTrue($server->eventually(fn (): bool => self::counted($server, 'booting') === 0), 'all are warm');

        $longest = 0.0;
        for ($round = 0; $round < 60; $round++) {
            foreach ($server->client->all(array_fill(0, 4, '/wait?n=20')) as $response) {
                self::assertSame('waited', $response->body);
                $longest = max($longest, $response->seconds);
            }
        }

        self::assertLessThan(0.2, $longest, 'a request of 20 ms waited for a boot of 300 ms');
        self::assertGreaterThan(2, self::deaths($server, 'requests'), 'nobody was replaced');
        self::assertSame(0, self::deaths($server, 'script'));
    }

    public function test_a_request_that_finds_no_realm_takes_the_first_that_is_free_not_the_one_that_boots(): void
    {
        $server = $this->ownServer('worker', self::BOOT, '--concurrency=2', '--warm=1');
        self::assertTrue($server->eventually(fn (): bool => self::counted($server, 'booting') === 0));

        $responses = $server->client->all(['/wait?n=50', '/wait?n=50']);

        self::assertLessThan(0.25, max($responses[0]->seconds, $responses[1]->seconds));
        self::assertTrue($server->eventually(fn (): bool => self::counted($server, 'realms') === 2), 'it boots all the same');
    }

    public function test_realms_are_not_all_replaced_at_once(): void
    {
        $server = $this->ownServer('classic', '--concurrency=8', '--max-requests=80');
        for ($round = 0; $round < 71; $round++) {
            $server->client->all(array_fill(0, 8, '/wait?n=3'));
        }
        $early = self::deaths($server, 'requests');
        for ($round = 0; $round < 12; $round++) {
            $server->client->all(array_fill(0, 8, '/wait?n=3'));
        }

        self::assertLessThan(8, $early);
        self::assertGreaterThanOrEqual(6, self::deaths($server, 'requests'));
    }

    public function test_a_boot_that_fails_in_the_background_leaves_the_old_realms_serving(): void
    {
        $broken = (string) tempnam(sys_get_temp_dir(), 'howdah-broken-');
        unlink($broken);
        $server = $this->ownServer('worker', "--ini=pool.broken=$broken", '--concurrency=2', '--max-requests=5');
        $server->client->get('/');
        touch($broken);
        try {
            for ($request = 0; $request < 40; $request++) {
                self::assertSame('front page', $server->client->get('/')->body);
            }
            $failures = self::deaths($server, 'boot');
            self::assertGreaterThan(0, $failures);
            self::assertLessThan(4, $failures, 'the pauses grow');
            self::assertStringContainsString('the application is broken', $server->errors());
            self::assertStringContainsString('a realm did not boot: the 1 that there are go on', $server->errors());
        } finally {
            unlink($broken);
        }
        self::assertTrue($server->eventually(fn (): bool => self::deaths($server, 'requests') > 0, 15), 'it boots again');
    }

    public function test_a_realm_whose_heap_is_above_the_mark_is_replaced(): void
    {
        $server = $this->ownServer('worker', self::BOOT, '--concurrency=1', '--realm-memory=16M');
        self::assertSame('10', $server->client->get('/hold?n=10')->body);
        self::assertSame('20', $server->client->get('/hold?n=10')->body);

        $next = $server->client->get('/');
        self::assertTrue($server->eventually(fn (): bool => self::deaths($server, 'memory') === 1));

        self::assertLessThan(0.2, $next->seconds, 'the old one serves until its successor has booted');
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

        self::assertSame(1, self::deaths($server, 'memory'));
    }

    #[DataProvider('modes')]
    public function test_a_worker_goes_back_to_its_resting_memory_after_a_peak(string $mode): void
    {
        $server = $this->ownServer($mode, '--concurrency=512', '--warm=2', '--idle-timeout=2');
        $server->client->all(array_fill(0, 4, '/wait?n=10'));
        $before = self::megabytes($server);

        $server->client->all(array_fill(0, 512, '/wait?n=2000'));
        $peak = self::megabytes($server);
        self::assertGreaterThan(400, self::counted($server, 'realms'));
        self::assertGreaterThan($before + 40, $peak);
        $asked = microtime(true);
        self::assertTrue($server->eventually(fn (): bool => self::counted($server, 'realms') === 2, 20), 'realms stay');

        self::assertGreaterThan(1.0, microtime(true) - $asked, 'they went before their time');
        self::assertLessThan($before + ($peak - $before) * 0.2, self::megabytes($server), "MB, $before before, $peak at peak");
        $again = $server->client->all(array_fill(0, 64, '/wait?n=100'));
        foreach ($again as $response) {
            self::assertLessThan(1.0, $response->seconds, 'births after that');
        }
    }

    public function test_the_minimum_boots_before_the_first_request_and_stays(): void
    {
        $server = $this->ownServer('worker', self::BOOT, '--concurrency=8', '--warm=3', '--idle-timeout=1');
        usleep(2_500_000);

        $response = $server->client->get('/status');

        self::assertLessThan(0.2, $response->seconds);
        self::assertSame(3, self::counted($server, 'realms'));
        self::assertSame(3, self::counted($server, 'births'));
    }
}
