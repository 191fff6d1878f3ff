<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;

/** Libraries with threads of their own, used by several realms of one worker at once. */
final class ThreadTest extends WaitingTestCase
{
    private const AT_ONCE = 8;

    private const WAIT = 0.5;

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

        $clock = Clock::start();
        $responses = $server->client->all(array_fill(0, self::AT_ONCE, self::uri($row, 'wait', self::WAIT)));
        $seconds = $clock->seconds();

        $waited = 0.0;
        foreach ($responses as $response) {
            $outcome = Outcome::fromJson($response->body);
            self::assertSame($expected->told, $outcome->told);
            $waited += $outcome->elapsed;
        }
        Clock::assertAtLeast(self::WAIT, $expected->elapsed, 'it waits');
        // One after the other they would take as long as their waits together, and what starting and stopping takes besides.
        Clock::assertAtMost($waited, $seconds, 'all at once');
        $threads = fn (): int => $this->threads($server->workers()[0]);
        Clock::await(static fn (): bool => $threads() <= $before, static fn (): string => 'an end of threads: ' . $threads());
    }

    private function threads(int $pid): int
    {
        return count(glob("/proc/$pid/task/*") ?: []);
    }
}
