<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * One allocation that passes the hard limit, where a php-fpm child ends itself: here that request ends, with the fatal error
 * that memory_limit ends others with. Fourteen neighbours in its worker answer.
 */
#[Group('realms')]
final class ExhaustionTest extends DeathTestCase
{
    /** app/dying/deaths.php */
    private const WAYS = [
        'at-once',
        'at-once-in-fgets',
        'at-once-in-random-bytes',
        'at-once-in-addslashes',
        'at-once-in-serialize',
        'at-once-in-sprintf',
        'at-once-in-concatenation',
        'at-once-in-output-buffer',
        'at-once-in-compilation',
        'at-once-in-destructor',
        'at-once-in-destructor-at-the-end',
        'at-once-in-shutdown-function',
        'at-once-in-output-callback',
        'at-once-in-output-callback-at-the-end',
        'at-once-in-fiber',
        'at-once-in-generator',
        'at-once-in-sort',
        'at-once-in-session-write-handler',
    ];

    private const ERROR = 'Allowed memory size of 33554432 bytes exhausted (tried to allocate ';

    #[DataProvider('modes')]
    public function test_whatever_exhausts_memory_at_once_ends_alone(string $mode): void
    {
        $server = $this->server($mode);
        $workers = $server->workers();
        $estate = new Estate();
        // One of them says it again, as what its output buffer holds is sent at the end.
        $said = static function () use ($server): int {
            preg_match_all('~' . preg_quote(self::ERROR, '~') . '.*/die\?how=(\S+)~', $server->errors(), $matches);

            return count(array_unique($matches[1]));
        };
        $begun = static fn (): bool => count(glob("{$estate->folder}/begun-*") ?: []) === 14;
        // Two of those that wait for a lock would wait for each other: five more of the first kinds.
        $neighbours = [...range(0, 8), 0, 1, 2, 3, 5];
        $uris = Neighbours::requests($estate->death());
        $answers = Neighbours::answers();

        $responses = $server->client->all(
            [
                ...array_map(static fn (int $id): string => $uris[$id], $neighbours),
                ...array_map(static fn (string $how): array => ["/die?how=$how", [], $begun], self::WAYS),
            ],
            static function (float $seconds) use ($estate, $said): void {
                if (!$estate->has('victim') && $said() === count(self::WAYS)) {
                    $estate->put('victim');
                }
            },
        );

        $expected = array_map(static fn (int $id): string => $answers[$id], $neighbours);
        self::assertSame($expected, array_column(array_slice($responses, 0, 14), 'body'));
        self::assertSame(
            array_fill_keys(self::WAYS, 500),
            array_combine(self::WAYS, array_column(array_slice($responses, 14), 'status')),
        );
        self::assertSame(count(self::WAYS), $said());
        self::assertSame('alive', $server->client->get('/echo?text=alive')->body);
        self::assertSame($workers, $server->workers(), 'a worker was lost');
    }

    /** 2 would keep nginx from starting another one. */
    #[TestWith([0], 'exit 0')]
    #[TestWith([2], 'exit 2')]
    public function test_a_library_that_ends_the_process_leaves_a_report_and_nginx_starts_another_worker(int $status): void
    {
        $server = $this->server('classic');
        $workers = $server->workers();
        $estate = new Estate();
        $begun = static fn (): bool => (glob("{$estate->folder}/begun-*") ?: []) !== [];

        $responses = $server->client->all([
            '/neighbour?kind=sleep&id=0&until=' . urlencode("{$estate->folder}/never"),
            ["/die?how=exit-$status", [], $begun],
        ]);

        self::assertSame([0, 0], array_column($responses, 'status'));
        self::assertTrue($server->eventually(
            static fn (): bool => count($server->workers()) === 1 && $server->workers() !== $workers,
        ), 'nginx has not replaced the worker');
        self::assertStringContainsString(
            "called exit($status): worker process {$workers[0]} dies with 2 requests",
            $server->errors(),
        );
        self::assertMatchesRegularExpression(
            "~realm \d+ ran GET /die\?how=exit-$status: PHP was in \S+/crashes.php on line \d+, in exit\(\), client: ~",
            $server->errors(),
        );
        self::assertMatchesRegularExpression(
            '~realm \d+ waited in GET /neighbour.*, in usleep\(\), client: ~',
            $server->errors(),
        );
        self::assertSame('alive', $server->client->get('/echo?text=alive')->body);
    }

    /** @return list<string> */
    protected static function options(string $mode): array
    {
        return [...parent::options($mode), '--ini=ffi.enable=1'];
    }
}
