<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\App\Front;
use Howdah\WaitingTests\App\Unending;
use Howdah\WaitingTests\App\WithoutLimit;
use PHPUnit\Framework\Attributes\DataProvider;

/** What holds for every row: it yields, its result and its own time limit are php-cli's, and a client that goes ends it. */
final class RowTest extends WaitingTestCase
{
    private const WAIT = 0.3;

    /** Longer than the cancelled wait may go on: that it ends by itself proves nothing. */
    private const LONG = 3.0;

    private const LIMIT = 1.0;

    /** The machine may be busy with other work; a call that blocks fails each time. */
    private const TRIES = 3;

    private const PING_SECONDS = 0.03;

    /** @return iterable<string, array{string, string}> */
    public static function rowsInModes(): iterable
    {
        foreach (Rows::names() as $row) {
            foreach (self::modes() as [$mode]) {
                yield "$row in $mode mode" => [$row, $mode];
            }
        }
    }

    /** @return iterable<string, array{string}> */
    public static function endingRows(): iterable
    {
        foreach (Rows::names() as $row) {
            if (!Front::row($row) instanceof Unending) {
                yield $row => [$row];
            }
        }
    }

    /** @return iterable<string, array{string}> */
    public static function limitedRows(): iterable
    {
        foreach (Rows::names() as $row) {
            if (!Front::row($row) instanceof WithoutLimit) {
                yield $row => [$row];
            }
        }
    }

    #[DataProvider('rowsInModes')]
    public function test_others_are_answered_while_it_waits_and_its_result_is_that_of_php_cli(string $row, string $mode): void
    {
        Rows::prepare($row);
        $server = $this->server($mode);
        for ($try = 1; $try <= self::TRIES; $try++) {
            $cli = self::startCli($row, 'wait', self::WAIT);
            [$answer, $pings] = $this->waitAndPing($server, $row);
            $expected = self::awaitCli($cli);

            self::assertSame($expected->told, $answer->told);
            self::assertNull($expected->told['error']);
            self::assertGreaterThanOrEqual(self::WAIT - 0.01, $answer->elapsed, 'it did not wait');
            // A call that blocks leaves one.
            if (count($pings) >= 3 && max($pings) <= self::PING_SECONDS) {
                return;
            }
        }
        self::fail('pings took ' . implode(', ', array_map(static fn (float $s): string => round($s * 1000) . ' ms', $pings)));
    }

    #[DataProvider('limitedRows')]
    public function test_its_own_limit_ends_it_when_and_how_it_does_under_php_cli(string $row): void
    {
        Rows::prepare($row);
        $server = $this->server('classic');
        for ($try = 1; $try <= self::TRIES; $try++) {
            $cli = self::startCli($row, 'limit', self::LIMIT);
            $answer = $server->client->get(self::uri($row, 'limit', self::LIMIT))->body;
            $answer = Outcome::fromJson($answer);
            $expected = self::awaitCli($cli);

            self::assertSame($expected->told, $answer->told);
            self::assertGreaterThan(self::LIMIT - 0.1, $expected->elapsed, 'something else ended it');
            self::assertLessThan(4.5, $expected->elapsed, 'not the limit, but the answer ended it');
            $late = $answer->elapsed - $expected->elapsed;
            if (abs($late) <= 0.1) {
                return;
            }
        }
        self::fail('the limit fired ' . round($late * 1000) . ' ms later than under php-cli');
    }

    #[DataProvider('endingRows')]
    public function test_a_client_that_goes_ends_it(string $row): void
    {
        Rows::prepare($row);
        $server = $this->server('classic');
        $free = fn (): bool => $server->client->get('/?do=status')->json()['busy'] === 1;
        self::assertTrue($server->eventually($free), 'the row before goes on');
        $mark = 'mark-' . bin2hex(random_bytes(6));
        $file = Components::folder() . "/$mark";

        $this->askAndGo($server, self::uri($row, 'wait', self::LONG) . "&mark=$mark", self::WAIT);
        $gone = microtime(true);

        self::assertTrue($server->eventually(fn (): bool => is_file($file), 0.5), 'it goes on after its client has gone');
        self::assertTrue($server->eventually($free, 0.5 - (microtime(true) - $gone)), 'its realm is still busy');
        $told = json_decode((string) file_get_contents($file), true);
        self::assertIsArray($told);
        self::assertSame(CONNECTION_ABORTED, $told['status']);
        self::assertLessThan(self::LONG - 1, $told['elapsed']);
    }

    public function test_ignore_user_abort_lets_it_run_to_its_end(): void
    {
        $server = $this->server('classic');
        $mark = 'mark-' . bin2hex(random_bytes(6));
        $file = Components::folder() . "/$mark";

        $this->askAndGo($server, self::uri('usleep', 'wait', 1) . "&mark=$mark&ignore=1", self::WAIT);

        self::assertTrue($server->eventually(fn (): bool => is_file($file), 3));
        $told = json_decode((string) file_get_contents($file), true);
        self::assertIsArray($told);
        self::assertIsArray($told['answer'], 'it ended before its time');
        self::assertTrue($told['answer']['result']);
        self::assertGreaterThanOrEqual(1, $told['answer']['elapsed']);
    }

    /** @return array{Outcome, list<float>} what came of it, and how long each ping meanwhile took */
    private function waitAndPing(Server $server, string $row): array
    {
        $pings = [];
        // From when it surely waits until shortly before it may end.
        $ping = static function (float $seconds) use ($server, &$pings): void {
            if ($seconds > 0.06 && $seconds < self::WAIT - 0.03) {
                $response = $server->client->get('/?do=ping');
                self::assertSame('"pong"', $response->body);
                $pings[] = $response->seconds;
            }
        };
        $response = $server->client->all([self::uri($row, 'wait', self::WAIT)], $ping)[0];

        return [Outcome::fromJson($response->body), $pings];
    }

    /** Sends a request, waits a while, and closes the connection. */
    private function askAndGo(Server $server, string $uri, float $seconds): void
    {
        $socket = stream_socket_client("tcp://127.0.0.1:{$server->port}");
        self::assertIsResource($socket);
        fwrite($socket, "GET $uri HTTP/1.1\r\nHost: localhost\r\n\r\n");
        usleep((int) ($seconds * 1_000_000));
        fclose($socket);
    }
}
