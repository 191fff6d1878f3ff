<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** Libraries with threads of their own, used by several realms of one worker at once. */
final class ThreadTest extends WaitingTestCase
{
    private const AT_ONCE = 8;

    /** One after the other they take eight times as long, and together what starting and stopping eight libraries takes besides. */
    private const WAIT = 1.0;

    /** @return iterable<string, array{string, string}> */
    public static function rowsInModes(): iterable
    {
        foreach (['kafka-poll'] as $row) {
            foreach (self::modes() as [$mode]) {
                yield "$row in $mode mode" => [$row, $mode];
            }
        }
    }

    #[DataProvider('rowsInModes')]
    public function test_each_has_its_own_and_no_thread_is_left(string $row, string $mode): void
    {
        Rows::prepare($row);
        $server = $this->ownServer($mode);
        $expected = self::awaitCli(self::startCli($row, 'wait', self::WAIT));
        self::assertNull($expected->told['error']);
        // The first use loads the library, and starts what stays.
        $server->client->get(self::uri($row, 'wait', 0.01));
        $before = $this->threads($server->workers()[0]);

        $start = microtime(true);
        $responses = $server->client->all(array_fill(0, self::AT_ONCE, self::uri($row, 'wait', self::WAIT)));
        $seconds = microtime(true) - $start;

        foreach ($responses as $response) {
            self::assertSame($expected->told, Outcome::fromJson($response->body)->told);
        }
        self::assertGreaterThanOrEqual(self::WAIT, $expected->elapsed);
        self::assertLessThan(self::AT_ONCE * self::WAIT, $seconds, 'one after the other');
        $gone = fn (): bool => $this->threads($server->workers()[0]) <= $before;
        self::assertTrue($server->eventually($gone, 3), 'threads are left: ' . $this->threads($server->workers()[0]));
    }

    private function threads(int $pid): int
    {
        return count(glob("/proc/$pid/task/*") ?: []);
    }
}
