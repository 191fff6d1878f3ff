<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Component\Postgres;
use PHPUnit\Framework\Attributes\DataProvider;

/** Waits that come when the script is over: they yield, too, and their output is the response's. */
final class EndTest extends WaitingTestCase
{
    private const WAIT = 0.3;
    private const TRIES = 3;
    private const PING_SECONDS = 0.03;

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
        self::assertSame($this->underCli($row), $this->served($row, $mode));
    }

    #[DataProvider('modes')]
    public function test_a_session_handler_that_waits_keeps_the_session(string $mode): void
    {
        $server = $this->ownServer($mode);
        $asked = [];
        for ($request = 0; $request < 3; $request++) {
            $response = $server->client->get(self::uri('end-session', 'wait', 0.1));
            self::assertGreaterThanOrEqual(0.09, $response->seconds);
            $asked[] = $response->json()['result'];
        }
        $first = $asked[0];
        self::assertIsInt($first);
        self::assertSame([$first, $first + 1, $first + 2], $asked);
        self::assertStringStartsWith('{"result":' . ($first + 3), $this->served('end-session', $mode, $server, 1));
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
        $busy = $server->client->get('/?do=status')->json()['busy'] ?? null;
        self::assertSame(1, $busy, 'a request goes on');
    }

    private function underCli(string $row): string
    {
        [$process, $output] = self::startCli($row, 'wait', self::WAIT);
        $text = (string) stream_get_contents($output);
        proc_close($process);

        return self::withoutTimes($text);
    }

    private function served(string $row, string $mode, ?Server $server = null, int $tries = self::TRIES): string
    {
        $server ??= $this->server($mode);
        $pings = [];
        for ($try = 1; $try <= $tries; $try++) {
            $pings = [];
            $ping = static function (float $seconds) use ($server, &$pings): void {
                if ($seconds > 0.06 && $seconds < self::WAIT - 0.03) {
                    $pings[] = $server->client->get('/?do=ping')->seconds;
                }
            };
            $response = $server->client->all([self::uri($row, 'wait', self::WAIT)], $ping)[0];
            self::assertGreaterThanOrEqual(self::WAIT - 0.01, $response->seconds, 'it did not wait');
            if (count($pings) >= 3 && max($pings) <= self::PING_SECONDS) {
                return self::withoutTimes($response->body);
            }
        }
        self::fail('pings took ' . json_encode($pings));
    }

    private static function withoutTimes(string $body): string
    {
        return (string) preg_replace('/"elapsed":[0-9.e-]+/i', '"elapsed":0', $body);
    }
}
