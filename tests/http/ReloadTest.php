<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** nginx's reload: new workers take over, the old ones finish what they have and go. */
final class ReloadTest extends HttpTestCase
{
    #[DataProvider('modes')]
    public function test_a_reload_under_load_loses_no_request(string $mode): void
    {
        $server = $this->ownServer($mode, '--concurrency=8');
        $before = $server->workers();
        $uris = array_map(fn (int $id): string => "/sleep?ms=150&id=$id", range(1, 60));
        $sent = 0;

        // All are sent at once: eight are served, the others wait, over two reloads.
        $responses = $server->client->all($uris, function (float $seconds) use ($server, &$sent): void {
            if ($sent < 2 && $seconds > 0.1 + 0.4 * $sent) {
                ++$sent;
                posix_kill($server->master(), SIGHUP);
            }
        });

        self::assertSame(
            array_map(fn (int $id): array => [200, "$id"], range(1, 60)),
            array_map(fn (Response $response): array => [$response->status, $response->body], $responses),
        );
        self::assertTrue(
            $server->eventually(fn (): bool => array_intersect($before, $server->workers()) === []),
            'an old worker did not go',
        );
        self::assertCount(count($before), $server->workers());
        self::assertSame(200, $server->client->get('/sleep?ms=1&id=1')->status);
        self::assertDoesNotMatchRegularExpression('/exited on signal|alert|emerg/', $server->errors());
    }
}
