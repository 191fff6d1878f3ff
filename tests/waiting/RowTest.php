<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\HttpTests\Response;
use Howdah\HttpTests\Server;
use Howdah\Tests\Clock;
use Howdah\WaitingTests\App\Front;
use Howdah\WaitingTests\App\Unending;
use Howdah\WaitingTests\App\WithoutLimit;
use Howdah\WaitingTests\Component\SlowDns;
use PHPUnit\Framework\Attributes\DataProvider;

/** What holds for every row: it yields, its result and its own time limit are php-cli's, and a client that goes ends it. */
final class RowTest extends WaitingTestCase
{
    private const WAIT = 0.3;

    /** Where a busy machine had no time for pings meanwhile, a row is tried again, alone; a call that blocks fails each time. */
    private const LONGER_WAITS = [0.3, 1.5, 5.0];

    /** Longer than any cancelled wait goes on, on however busy a machine: that it ends by itself proves nothing. */
    private const LONG = 10.0;

    private const LIMIT = 1.0;

    /** By then not the limit, but the answer has ended it. */
    private const UNLIMITED = 4.5;

    /** Between the server and php-cli. */
    private const SAME_MOMENT = 0.1;

    /** So long others have kept a process from the processor that is not what it would be alone. */
    private const HELD_UP = 0.02;

    private const TRIES = 3;

    /** So many rows are tried at once; where that does not satisfy, each is tried alone. */
    private const BATCH = 8;

    /** Nobody pings those. */
    private const LIMIT_BATCH = 14;

    /** @var array<string, array<string, array{Outcome, Pings}>> what came of a batch's rows in a mode, and the pings */
    private static array $waited = [];

    /** @var array<string, array{Outcome, Outcome}> what came of a batch's rows, and under php-cli */
    private static array $limited = [];

    /** @var array<string, ?string> what came of a batch's rows whose clients went */
    private static array $ended = [];

    /** @var array<string, Outcome> what comes of a row's wait under php-cli */
    private static array $expected = [];

    public static function tearDownAfterClass(): void
    {
        if (Components::run(SlowDns::class)) {
            Components::get(SlowDns::class)->hurry();
        }
        parent::tearDownAfterClass();
    }

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
            self::$waited[$mode] = self::waitAndPing($server, $batch, self::WAIT) + self::$waited[$mode];
        }
        if (!isset(self::$expected[$row])) {
            self::$expected = self::underCli($batch, 'wait', self::WAIT) + self::$expected;
        }
        [$answer, $pings] = self::$waited[$mode][$row];
        self::assertWaited(self::WAIT, self::$expected[$row], $answer);
        foreach (self::LONGER_WAITS as $wait) {
            if ($pings->arePrompt()) {
                return;
            }
            [$answer, $pings] = self::waitAndPing($server, [$row], $wait)[$row];
            self::assertWaited($wait, self::underCli([$row], 'wait', $wait)[$row], $answer);
        }
        $pings->arePrompt() || $pings->fail();
    }

    #[DataProvider('limitedRows')]
    public function test_its_own_limit_ends_it_when_and_how_it_does_under_php_cli(string $row): void
    {
        Rows::prepare($row);
        $server = $this->server('classic');
        if (!isset(self::$limited[$row])) {
            $rows = array_column([...self::limitedRows()], 0);
            self::$limited = $this->reachLimit($server, self::batch($row, $rows, self::LIMIT_BATCH)) + self::$limited;
        }
        [$answer, $expected] = self::$limited[$row];
        for ($try = 1; $try < self::TRIES && self::mayBeLate($answer, $expected); $try++) {
            [$answer, $expected] = $this->reachLimit($server, [$row])[$row];
        }
        $ended = sprintf('the limit fired after %.2f s, and %.2f s under php-cli', $answer->elapsed, $expected->elapsed);
        // Where a busy machine's server was later than its own answer, that may have ended it.
        Clock::assertAtMost(self::UNLIMITED, max($answer->elapsed, $expected->elapsed), $ended);
        self::assertSame($expected->told, $answer->told);
        if (self::isEarlyAsLate($expected)) {
            Clock::late("php-cli was late, which let its library give up before its time: $ended");
        }
        Clock::assertAtLeast(self::LIMIT - self::SAME_MOMENT, $expected->elapsed, 'something else ended it');
        Clock::assertAtMost(self::tolerance($answer, $expected), abs($answer->elapsed - $expected->elapsed), $ended);
    }

    #[DataProvider('endingRows')]
    public function test_a_client_that_goes_ends_it(string $row): void
    {
        Rows::prepare($row);
        $server = $this->server('classic');
        if (!array_key_exists($row, self::$ended)) {
            self::$ended = $this->askAndGo($server, self::batch($row, array_column([...self::endingRows()], 0))) + self::$ended;
        }

        $how = self::$ended[$row] ?? $this->askAndGo($server, [$row])[$row];
        self::assertSame('ended', $how ?? Clock::late('it goes on after its client has gone'));
    }

    public function test_ignore_user_abort_lets_it_run_to_its_end(): void
    {
        $server = $this->server('classic');
        $mark = 'mark-' . bin2hex(random_bytes(6));
        $file = Components::folder() . "/$mark";

        self::awaitIdle($server);
        $connection = $this->send($server, self::uri('usleep', 'wait', 1) . "&mark=$mark&ignore=1");
        Clock::await(static fn (): bool => is_file("$file-began"), 'its beginning');
        self::awaitWaiting($server, 1, [$file]);
        fclose($connection);

        Clock::await(static fn (): bool => is_file($file), 'its end');
        $told = json_decode((string) file_get_contents($file), true);
        self::assertIsArray($told);
        self::assertIsArray($told['answer'], 'it ended before its time');
        self::assertTrue($told['answer']['result']);
        self::assertIsFloat($told['answer']['elapsed']);
        Clock::assertAtLeast(1, $told['answer']['elapsed'], 'it waited');
    }

    /**
     * A row and some that follow it, of those whose components run already.
     *
     * @param  list<string> $rows
     * @return list<string>
     */
    private static function batch(string $row, array $rows, int $size = self::BATCH): array
    {
        $following = array_slice($rows, (int) array_search($row, $rows, true), $size);

        return array_values(array_filter($following, Rows::isPrepared(...)));
    }

    /**
     * Lets rows wait, all at once, and asks for something else meanwhile.
     *
     * @param  list<string> $rows
     * @return array<string, array{Outcome, Pings}> what came of each, and of the pings
     */
    private static function waitAndPing(Server $server, array $rows, float $wait): array
    {
        $pings = new Pings($server, count($rows));
        $answers = self::askAll($server, $rows, 'wait', $wait, $pings->during($wait));

        return array_map(static fn (Outcome $answer): array => [$answer, $pings], $answers);
    }

    private static function assertWaited(float $wait, Outcome $expected, Outcome $answer): void
    {
        self::assertSame($expected->told, $answer->told);
        self::assertNull($expected->told['error']);
        Clock::assertAtLeast($wait - 0.01, $answer->elapsed, 'it did not wait');
    }

    /** Whether it is worth another try: what was asked for may have come late, or a limit that is not meant have fired. */
    private static function mayBeLate(Outcome $answer, Outcome $expected): bool
    {
        $tolerance = self::tolerance($answer, $expected);

        return max($answer->elapsed, $expected->elapsed) > self::UNLIMITED
            || abs($answer->elapsed - $expected->elapsed) > $tolerance
            || ($answer->told !== $expected->told && $tolerance > 2 * self::SAME_MOMENT)
            || self::isEarlyAsLate($expected);
    }

    /** libmongoc does not try again where its first try has ended 50 ms later than on a quiet machine. */
    private static function isEarlyAsLate(Outcome $outcome): bool
    {
        return $outcome->elapsed < self::LIMIT - self::SAME_MOMENT && $outcome->delayed > self::HELD_UP;
    }

    /** How far apart the two may end: a processor that others have kept one of them from is no fault of its library. */
    private static function tolerance(Outcome $answer, Outcome $expected): float
    {
        return self::SAME_MOMENT + $answer->delayed + $expected->delayed;
    }

    /**
     * Lets rows reach their own limits, all at once, and the same under php-cli.
     *
     * @param  list<string> $rows
     * @return array<string, array{Outcome, Outcome}>
     */
    private function reachLimit(Server $server, array $rows): array
    {
        $names = Components::run(SlowDns::class) ? Components::get(SlowDns::class) : null;
        $names?->limit((int) self::LIMIT);
        $cli = self::startAll($rows, 'limit', self::LIMIT);
        $answers = self::askAll($server, $rows, 'limit', self::LIMIT);
        $outcomes = [];
        foreach ($rows as $row) {
            $outcomes[$row] = [$answers[$row], self::awaitCli($cli[$row])];
        }
        $names?->limit(null);

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
     * @return array<string, ?string> what came of each: `ended`, or what is wrong; null: it went on
     */
    private function askAndGo(Server $server, array $rows): array
    {
        $free = static fn (): bool => $server->client->get('/?do=status')->json()['busy'] === 1;
        self::awaitIdle($server);
        $files = $connections = [];
        foreach ($rows as $row) {
            $mark = 'mark-' . bin2hex(random_bytes(6));
            $files[$row] = Components::folder() . "/$mark";
            $connections[$row] = $this->send($server, self::uri($row, 'wait', self::LONG) . "&mark=$mark");
        }
        $began = array_map(static fn (string $file): string => "$file-began", $files);
        $told = static fn (): string => self::notBegun($server, $began, $connections);
        Clock::await(static fn (): bool => array_filter($began, is_file(...)) === $began, $told);
        self::awaitWaiting($server, count($rows), array_values($files));
        array_map(fclose(...), $connections);
        // Before they end by themselves.
        $gone = Clock::start();
        $isLate = static fn (): bool => $gone->seconds() > self::LONG / 2;
        Clock::await(static fn (): bool => array_filter($files, is_file(...)) === $files || $isLate(), 'the end of all');
        $ended = array_map(self::ending(...), $files);
        Clock::await(static fn (): bool => $free() || $isLate(), 'the end of all');

        return $free() ? $ended : array_map(static fn (?string $how): ?string => $how === 'ended' ? null : $how, $ended);
    }

    /**
     * What is known where some rows have not begun: what each client was answered, and what the server tells.
     *
     * @param array<string, string>   $files       the file that each row leaves when it begins
     * @param array<string, resource> $connections
     */
    private static function notBegun(Server $server, array $files, array $connections): string
    {
        $told = ['the beginning of all'];
        foreach ($files as $row => $file) {
            stream_set_blocking($connections[$row], false);
            $answer = (string) fread($connections[$row], 2000);
            $end = feof($connections[$row]) ? 'its connection is closed' : 'its connection is open';
            $began = is_file($file) ? 'began' : 'DID NOT BEGIN';
            $told[] = "$row $began; $end; it was answered " . json_encode($answer);
        }

        return implode("\n", [
            ...$told,
            'status: ' . $server->client->get('/?do=status')->body,
            'workers: ' . implode(' ', $server->workers()),
            'errors: ' . substr($server->errors(), -3000),
        ]);
    }

    /** What a request has left in its file when it ended; null when it did not before it would have by itself. */
    private static function ending(string $file): ?string
    {
        if (!is_file($file)) {
            return null;
        }
        /** @var array{status: int, elapsed: float} $told */
        $told = json_decode((string) file_get_contents($file), true, flags: JSON_THROW_ON_ERROR);
        if ($told['elapsed'] > self::LONG - 1) {
            return null;
        }

        return $told['status'] === CONNECTION_ABORTED ? 'ended' : "ended with connection_status() {$told['status']}";
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
