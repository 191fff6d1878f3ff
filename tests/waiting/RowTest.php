<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\HttpTests\Response;
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

    /** By then not the limit, but the answer has ended it. */
    private const UNLIMITED = 4.5;

    /** The machine may be busy with other work; a call that blocks fails each time. */
    private const TRIES = 3;

    private const PING_SECONDS = 0.03;

    /** So many rows are tried at once; where that does not satisfy, each is tried alone. */
    private const BATCH = 8;

    /** @var array<string, array<string, array{Outcome, list<float>}>> what came of a batch's rows in a mode, and the pings */
    private static array $waited = [];

    /** @var array<string, array{Outcome, Outcome}> what came of a batch's rows, and under php-cli */
    private static array $limited = [];

    /** @var array<string, string> what came of a batch's rows whose clients went */
    private static array $ended = [];

    /** @var array<string, Outcome> what comes of a row's wait under php-cli */
    private static array $expected = [];

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
        $batch = self::batch($row, Rows::names());
        self::$waited[$mode] ??= [];
        if (!isset(self::$waited[$mode][$row])) {
            self::$waited[$mode] = $this->waitAndPing($server, $batch) + self::$waited[$mode];
        }
        if (!isset(self::$expected[$row])) {
            self::$expected = self::underCli($batch, 'wait', self::WAIT) + self::$expected;
        }
        $expected = self::$expected[$row];
        [$answer, $pings] = self::$waited[$mode][$row];
        for ($try = 1; $try <= self::TRIES; $try++) {
            if ($try > 1) {
                [$answer, $pings] = $this->waitAndPing($server, [$row])[$row];
            }
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
        if (!isset(self::$limited[$row])) {
            $rows = array_column([...self::limitedRows()], 0);
            self::$limited = $this->reachLimit($server, self::batch($row, $rows)) + self::$limited;
        }
        [$answer, $expected] = self::$limited[$row];
        for ($try = 1; $try <= self::TRIES; $try++) {
            if ($try > 1) {
                [$answer, $expected] = $this->reachLimit($server, [$row])[$row];
            }
            $late = $answer->elapsed - $expected->elapsed;
            // Where a busy machine's server was later than its own answer, that may have ended it.
            if (max($answer->elapsed, $expected->elapsed) >= self::UNLIMITED) {
                continue;
            }
            self::assertSame($expected->told, $answer->told);
            self::assertGreaterThan(self::LIMIT - 0.1, $expected->elapsed, 'something else ended it');
            if (abs($late) <= 0.1) {
                return;
            }
        }
        self::fail(sprintf('the limit fired %+.2f s later than under php-cli, there after %.2f s', $late, $expected->elapsed));
    }

    #[DataProvider('endingRows')]
    public function test_a_client_that_goes_ends_it(string $row): void
    {
        Rows::prepare($row);
        $server = $this->server('classic');
        if (!isset(self::$ended[$row])) {
            self::$ended = $this->askAndGo($server, self::batch($row, array_column([...self::endingRows()], 0))) + self::$ended;
        }

        self::assertSame('ended', self::$ended[$row] === 'ended' ? 'ended' : $this->askAndGo($server, [$row])[$row]);
    }

    public function test_ignore_user_abort_lets_it_run_to_its_end(): void
    {
        $server = $this->server('classic');
        $mark = 'mark-' . bin2hex(random_bytes(6));
        $file = Components::folder() . "/$mark";

        $connection = $this->send($server, self::uri('usleep', 'wait', 1) . "&mark=$mark&ignore=1");
        usleep((int) (self::WAIT * 1_000_000));
        fclose($connection);

        self::assertTrue($server->eventually(fn (): bool => is_file($file), 3));
        $told = json_decode((string) file_get_contents($file), true);
        self::assertIsArray($told);
        self::assertIsArray($told['answer'], 'it ended before its time');
        self::assertTrue($told['answer']['result']);
        self::assertGreaterThanOrEqual(1, $told['answer']['elapsed']);
    }

    /**
     * A row and some that follow it, of those whose components run already.
     *
     * @param  list<string> $rows
     * @return list<string>
     */
    private static function batch(string $row, array $rows): array
    {
        $following = array_slice($rows, (int) array_search($row, $rows, true), self::BATCH);

        return array_values(array_filter($following, Rows::isPrepared(...)));
    }

    /**
     * Lets rows wait, all at once, and asks for something else meanwhile.
     *
     * @param  list<string> $rows
     * @return array<string, array{Outcome, list<float>}> what came of each, and how long each ping took
     */
    private function waitAndPing(Server $server, array $rows): array
    {
        $pings = [];
        // From when they surely wait until shortly before they may end.
        $ping = static function (float $seconds) use ($server, &$pings): void {
            if ($seconds > 0.06 && $seconds < self::WAIT - 0.03) {
                $response = $server->client->get('/?do=ping');
                self::assertSame('"pong"', $response->body);
                $pings[] = $response->seconds;
            }
        };
        $answers = self::askAll($server, $rows, 'wait', self::WAIT, $ping);

        return array_map(static fn (Outcome $answer): array => [$answer, $pings], $answers);
    }

    /**
     * Lets rows reach their own limits, all at once, and the same under php-cli.
     *
     * @param  list<string> $rows
     * @return array<string, array{Outcome, Outcome}>
     */
    private function reachLimit(Server $server, array $rows): array
    {
        $cli = self::startAll($rows, 'limit', self::LIMIT);
        $answers = self::askAll($server, $rows, 'limit', self::LIMIT);
        $outcomes = [];
        foreach ($rows as $row) {
            $outcomes[$row] = [$answers[$row], self::awaitCli($cli[$row])];
        }

        return $outcomes;
    }

    /**
     * @param  list<string>                 $rows
     * @param  (callable(float): void)|null $meanwhile
     * @return array<string, Outcome>
     */
    private static function askAll(Server $server, array $rows, string $do, float $seconds, ?callable $meanwhile = null): array
    {
        $uris = array_map(static fn (string $row): string => self::uri($row, $do, $seconds), $rows);
        $responses = $server->client->all($uris, $meanwhile);

        return array_combine(
            $rows,
            array_map(static fn (Response $response): Outcome => Outcome::fromJson($response->body), $responses),
        );
    }

    /**
     * @param  list<string> $rows
     * @return array<string, Outcome>
     */
    private static function underCli(array $rows, string $do, float $seconds): array
    {
        return array_map(self::awaitCli(...), self::startAll($rows, $do, $seconds));
    }

    /**
     * @param  list<string> $rows
     * @return array<string, array{resource, resource}>
     */
    private static function startAll(array $rows, string $do, float $seconds): array
    {
        return array_combine(
            $rows,
            array_map(static fn (string $row): array => self::startCli($row, $do, $seconds), $rows),
        );
    }

    /**
     * Lets rows wait, all at once, and closes their connections.
     *
     * @param  list<string> $rows
     * @return array<string, string> what came of each: `ended`, or what is wrong
     */
    private function askAndGo(Server $server, array $rows): array
    {
        $free = fn (): bool => $server->client->get('/?do=status')->json()['busy'] === 1;
        self::assertTrue($server->eventually($free), 'something goes on from before');
        $files = $connections = [];
        foreach ($rows as $row) {
            $mark = 'mark-' . bin2hex(random_bytes(6));
            $files[$row] = Components::folder() . "/$mark";
            $connections[] = $this->send($server, self::uri($row, 'wait', self::LONG) . "&mark=$mark");
        }
        usleep((int) (self::WAIT * 1_000_000));
        array_map(fclose(...), $connections);
        $gone = microtime(true);
        $server->eventually(fn (): bool => array_filter($files, is_file(...)) === $files, 0.5);
        $ended = array_map(self::ending(...), $files);
        $isFree = $server->eventually($free, 0.5 - (microtime(true) - $gone));

        return $isFree ? $ended : array_map(static fn (string $how): string => "$how, but a realm is still busy", $ended);
    }

    /** What a request has left in its file when it ended. */
    private static function ending(string $file): string
    {
        if (!is_file($file)) {
            return 'it goes on after its client has gone';
        }
        /** @var array{status: int, elapsed: float} $told */
        $told = json_decode((string) file_get_contents($file), true, flags: JSON_THROW_ON_ERROR);

        return match (true) {
            $told['status'] !== CONNECTION_ABORTED => "ended with connection_status() {$told['status']}",
            $told['elapsed'] > self::LONG - 1 => "ended after {$told['elapsed']} s",
            default => 'ended',
        };
    }

    /** @return resource the connection */
    private function send(Server $server, string $uri)
    {
        $socket = stream_socket_client("tcp://127.0.0.1:{$server->port}");
        self::assertIsResource($socket);
        fwrite($socket, "GET $uri HTTP/1.1\r\nHost: localhost\r\n\r\n");

        return $socket;
    }
}
