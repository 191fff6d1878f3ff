<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** With --rewind each request finds the application as it had booted, whatever the one before has left and however it ended. */
#[Group('realms')]
#[Group('rewind')]
final class RewindTest extends PoolTestCase
{
    protected const APP = __DIR__ . '/rewind';

    private const MANY = 8;

    protected static function options(string $mode): array
    {
        return [...parent::options($mode), '--rewind', '--concurrency=1', '--ini=session.save_path=' . sys_get_temp_dir()];
    }

    /** A server for many at once. */
    private function many(): Server
    {
        return $this->ownServer('worker', '--concurrency=' . self::MANY, '--warm=' . self::MANY);
    }

    /** @return list<string> what so many requests at once find, each in a realm of its own */
    private static function together(Server $server, string $uri = '/'): array
    {
        $door = new Door();
        $clients = array_map(static fn (): Http1 => new Http1($server->port), range(1, self::MANY));
        array_map(static fn (Http1 $client): Http1 => $client->get("$uri?at={$door->path}"), $clients);
        $door->await(self::MANY)->open();

        return array_map(static fn (Http1 $client): string => $client->read()->body ?? 'no answer', $clients);
    }

    public function test_requests_of_many_realms_find_what_the_first_has_found(): void
    {
        $server = $this->many();
        $found = [];
        for ($round = 0; $round < 20; $round++) {
            array_push($found, ...self::together($server));
        }

        self::assertSame([$found[0]], array_values(array_unique($found)));
        self::assertStringContainsString('"name":"application"', $found[0]);
        self::assertSame(self::MANY, self::counted($server, 'births'), $server->errors());
    }

    /** @return iterable<string, array{string, bool}> what a request does at its end, and whether its realm goes on */
    public static function ends(): iterable
    {
        yield 'exit' => ['exit', false];
        yield 'an exception that nobody catches' => ['throw', false];
        yield 'a fatal error' => ['fatal', false];
        yield 'recursion without end' => ['recursion', false];
        yield 'C code that recurses deep' => ['nesting', true];
        yield 'much memory' => ['memory', true];
        yield 'a suspended fiber' => ['fiber', true];
        yield 'another folder' => ['folder', false];
    }

    #[DataProvider('ends')]
    public function test_however_a_request_ends_the_next_one_finds_the_application(string $end, bool $goesOn): void
    {
        $server = $this->server('worker');
        $first = $server->client->get('/')->body;
        $births = self::counted($server, 'births');
        for ($i = 0; $i < 3; $i++) {
            $server->client->get("/?then=$end");
            self::assertSame($first, $server->client->get('/')->body, $server->errors());
        }

        self::assertSame($goesOn ? $births : $births + 3, self::counted($server, 'births'), $server->errors());
        if ($end === 'folder') {
            self::assertStringContainsString('has changed what rewind does not put back', $server->errors());
        }
    }

    public function test_a_client_that_leaves_leaves_nothing_behind(): void
    {
        $server = $this->server('worker');
        $first = $server->client->get('/')->body;
        for ($i = 0; $i < 3; $i++) {
            $door = new Door();
            $client = (new Http1($server->port))->get("/?at={$door->path}");
            $door->await();
            unset($client);

            self::assertSame($first, $server->client->get('/')->body, $server->errors());
        }
    }

    /** Its realm is held, as php-fpm's child would be; not its client, and nobody else. */
    public function test_a_destructor_that_waits_holds_its_realm_alone(): void
    {
        $server = $this->ownServer('worker', '--concurrency=2');
        $first = $server->client->get('/')->body;
        $door = new Door();

        self::assertSame($first, $server->client->get("/?then=late&door={$door->path}")->body);
        $door->await();
        self::assertSame($first, $server->client->get('/')->body);
        self::assertSame(1, $door->count());
        $door->open();
        self::assertSame([$first], array_values(array_unique(self::bodies($server, 4))), $server->errors());
    }

    /** @return list<string> */
    private static function bodies(Server $server, int $count): array
    {
        return array_map(static fn (): string => $server->client->get('/')->body, range(1, $count));
    }

    /** Each leaves more than a megabyte, and descriptors; every tenth ends its realm, which had several chunks of heap. */
    public function test_memory_and_descriptors_stay_as_they_were(): void
    {
        $server = $this->server('worker');
        $descriptors = static fn (): int => count(glob("/proc/{$server->workers()[0]}/fd/*") ?: []);
        $ask = static function (int $count) use ($server): void {
            for ($i = 1; $i <= $count; $i++) {
                $server->client->get($i % 10 === 0 ? '/?then=exit' : '/');
            }
        };
        $ask(50);
        [$memory, $open] = [self::megabytes($server), $descriptors()];
        $ask(200);

        self::assertLessThan($memory + 12, self::megabytes($server), 'megabytes: 20 realms and 200 requests left nothing');
        self::assertLessThan($open + 10, $descriptors());
    }

    public function test_no_two_requests_draw_the_same(): void
    {
        $server = $this->many();
        $drawn = [];
        for ($round = 0; $round < 10; $round++) {
            foreach (self::together($server, '/number') as $line) {
                array_push($drawn, ...explode(' ', $line));
            }
        }

        self::assertCount(10 * self::MANY * 4, array_unique($drawn));
    }

    public function test_what_an_application_keeps_outside_of_php_is_there(): void
    {
        $server = $this->server('worker');
        $cookie = [CURLOPT_COOKIE => 'PHPSESSID=rewind' . bin2hex(random_bytes(8))];

        self::assertSame(
            ['1', '2', '3'],
            array_map(static fn (): string => $server->client->get('/count', $cookie)->body, range(1, 3)),
        );
    }

    public function test_a_boot_that_keeps_a_file_is_served_without_rewind_and_the_log_names_the_file(): void
    {
        $server = $this->ownServer('worker', '--ini=rewind.keeps=1');
        $found = self::bodies($server, 3);

        self::assertCount(3, array_unique($found));
        $said = 'cannot be rewound: when it has booted it holds a resource of the type stream (' . self::APP . '/worker.php)';
        self::assertSame(1, substr_count($server->errors(), $said), $server->errors());
    }
}
