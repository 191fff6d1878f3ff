<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\HttpTests\Server;
use Howdah\Tests\Clock;
use Howdah\WaitingTests\Component\Postgres;
use PHPUnit\Framework\Attributes\DataProvider;

/** Waits that come when the script is over: they yield, too, and their output is the response's. */
final class EndTest extends WaitingTestCase
{
    /** Longer ones where a busy machine had no time for pings meanwhile. */
    private const WAITS = [0.3, 0.3, 1.5, 5.0];

    /** @return iterable<string, array{string, string}> */
    public static function endings(): iterable
    {
        foreach (self::modes() as [$mode]) {
            yield "a shutdown function in $mode mode" => ['end-shutdown', $mode];
            yield "the callback of an output buffer in $mode mode" => ['end-output', $mode];
        }
        // A worker's objects outlive the request.
        yield 'a destructor in classic mode' => ['end-destructor', 'classic'];
    }

    #[DataProvider('endings')]
    public function test_others_are_answered_while_the_end_waits(string $row, string $mode): void
    {
        self::assertSame($this->underCli($row), $this->served($this->server($mode), $row)[0]);
    }

    #[DataProvider('modes')]
    public function test_a_session_handler_that_waits_keeps_the_session(string $mode): void
    {
        $server = $this->ownServer($mode);
        $asked = [];
        for ($request = 0; $request < 3; $request++) {
            $response = $server->client->get(self::uri('end-session', 'wait', 0.1));
            Clock::assertAtLeast(0.09, $response->seconds, 'it waits');
            $asked[] = $response->json()['result'];
        }
        $first = $asked[0];
        self::assertIsInt($first);
        self::assertSame([$first, $first + 1, $first + 2], $asked);
        [$body, $tries] = $this->served($server, 'end-session');
        self::assertStringStartsWith('{"result":' . ($first + 2 + $tries) . ',', $body);
    }

    #[DataProvider('modes')]
    public function test_a_script_may_end_in_the_middle_of_a_copy(string $mode): void
    {
        Components::get(Postgres::class);
        $server = $this->ownServer($mode);
        foreach (range(1, 3) as $ignored) {
            $response = $server->client->get(self::uri('end-copy', 'wait', 0));
            self::assertSame('left', $response->json()['result'] ?? $response->body);
        }
        self::awaitIdle($server);
    }

    private function underCli(string $row): string
    {
        [$process, $output] = self::startCli($row, 'wait', self::WAITS[0]);
        $text = (string) stream_get_contents($output);
        proc_close($process);

        return self::withoutTimes($text);
    }

    /** @return array{string, int} what comes of it, and how often it was asked */
    private function served(Server $server, string $row): array
    {
        foreach (self::WAITS as $number => $wait) {
            $pings = new Pings($server, 1);
            $response = $server->client->all([self::uri($row, 'wait', $wait)], $pings->during($wait))[0];
            Clock::assertAtLeast($wait - 0.01, $response->seconds, 'it did not wait');
            if ($pings->arePrompt()) {
                return [self::withoutTimes($response->body), $number + 1];
            }
        }
        $pings->fail();
    }

    private static function withoutTimes(string $body): string
    {
        return (string) preg_replace('/"(elapsed|delayed)":[0-9.e-]+/i', '"$1":0', $body);
    }
}
