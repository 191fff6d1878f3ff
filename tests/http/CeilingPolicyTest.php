<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** howdah_worker_memory: what a worker does when its realms have taken more than it may have. */
#[Group('realms')]
final class CeilingPolicyTest extends PoolTestCase
{
    public function test_realms_that_are_idle_end_while_others_are_busy(): void
    {
        $server = $this->ownServer('worker', '--concurrency=8', '--worker-memory=80M');
        $door = new Door();
        $holds = array_map(static fn (): Http1 => (new Http1($server->port))->get("/hold?n=8&at={$door->path}"), range(1, 4));
        $door->await(4)->open();
        self::assertSame(array_fill(0, 4, '8'), array_map(static fn (Http1 $one): ?string => $one->read()?->body, $holds));
        self::assertSame([4, 0], [self::counted($server, 'realms'), self::deaths($server, 'ceiling')]);

        $door = new Door();
        $busy = (new Http1($server->port))->get("/hold?n=45&at={$door->path}");
        $door->await();
        self::assertTrue($server->eventually(static fn (): bool => self::deaths($server, 'ceiling') > 0), 'idle ones end');
        $ended = self::deaths($server, 'ceiling');
        $door->open();

        self::assertContains($ended, [1, 2, 3], 'of the idle ones');
        self::assertSame(200, $busy->read()?->status);
        self::assertStringContainsString('is above howdah_worker_memory (80 MB)', $server->errors());
    }

    public function test_a_realm_that_is_never_idle_ends_between_two_requests(): void
    {
        $server = $this->ownServer('worker', '--concurrency=1', '--worker-memory=60M');

        $responses = $server->client->all(array_fill(0, 20, '/hold?n=10&ms=30'));

        self::assertLessThan(100, max(0, ...array_map(fn (Response $response): int => (int) $response->body, $responses)));
        self::assertGreaterThan(1, self::deaths($server, 'ceiling'));
    }

    #[DataProvider('modes')]
    public function test_requests_wait_for_realms_instead_of_new_ones(string $mode): void
    {
        $server = $this->ownServer($mode, '--concurrency=200', '--worker-memory=40M');

        $door = new Door();
        $asked = array_map(static fn (): Http1 => (new Http1($server->port))->get("/tell?at={$door->path}"), range(1, 200));
        $door->await();
        Server::awaitRest($server->workers()[0]);
        $door->open();
        $told = array_map(static fn (Http1 $one): array => $one->read()?->json() ?? [], $asked);

        // When the first one answers, no realm has ended. Then some end, and others are born: how many is a matter of time.
        $births = array_filter(array_column($told, 'births'), is_int(...));
        self::assertCount(200, $births);
        self::assertLessThan(150, min([200, ...$births]));
        self::assertTrue($server->eventually(fn (): bool => self::megabytes($server) < 50));
        $again = $server->client->all(array_fill(0, 20, '/wait?n=20'));
        self::assertSame(['waited'], array_values(array_unique(array_map(fn (Response $each): string => $each->body, $again))));
    }

    public function test_a_realm_that_has_grown_ends_after_its_request_though_it_is_the_only_one(): void
    {
        $server = $this->ownServer('worker', '--concurrency=1', '--worker-memory=60M');
        self::assertSame('80', $server->client->get('/hold?n=80')->body);
        self::assertTrue($server->eventually(fn (): bool => self::megabytes($server) < 60));

        self::assertSame('1', $server->client->get('/hold?n=1')->body, 'another realm');
    }

    #[DataProvider('modes')]
    public function test_a_ceiling_below_what_the_worker_needs_is_said_and_everybody_is_served(string $mode): void
    {
        $server = $this->ownServer($mode, '--concurrency=4', '--worker-memory=1M');

        $statuses = [];
        $told = $server->eventually(function () use ($server, &$statuses): bool {
            foreach ($server->client->all(array_fill(0, 8, '/wait?n=10')) as $response) {
                $statuses[$response->status] = true;
            }

            return str_contains($server->errors(), 'ending realms does not help');
        });

        self::assertTrue($told, $server->errors());
        self::assertSame([200], array_keys($statuses));
    }
}
