<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;

/** nginx's reload: new workers take over, the old ones finish what they have and go. */
final class ReloadTest extends HttpTestCase
{
    #[DataProvider('modes')]
    public function test_a_reload_under_load_loses_no_request(string $mode): void
    {
        $server = $this->ownServer($mode, '--concurrency=8');
        $before = $workers = $server->workers();
        $door = new Door();
        $uris = array_map(static fn (int $id): string => "/door?at={$door->path}&id=$id", range(1, 60));
        $reloads = 0;

        // All are sent at once: eight are served, the others wait, over two reloads; and all new workers have the same to do.
        $responses = $server->client->all($uris, static function () use ($server, $door, &$workers, &$reloads): void {
            if ($reloads === 3 || $door->count() < 8 || ($reloads > 0 && array_diff($server->workers(), $workers) === [])) {
                return;
            }
            if (++$reloads === 3) {
                $door->open();
            } else {
                $workers = array_merge($workers, $server->workers());
                posix_kill($server->master(), SIGHUP);
            }
        });

        self::assertSame(3, $reloads);
        self::assertSame(
            array_map(fn (int $id): array => [200, "$id"], range(1, 60)),
            array_map(fn (Response $response): array => [$response->status, $response->body], $responses),
        );
        Clock::await(static fn (): bool => array_intersect($before, $server->workers()) === [], 'the old workers go');
        Clock::await(static fn (): bool => count($server->workers()) === count($before), 'so many as before stay');
        self::assertSame(200, $server->client->get('/sleep?ms=1&id=1')->status);
        self::assertDoesNotMatchRegularExpression('/exited on signal|alert|emerg/', $server->errors());
    }
}
