<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\HttpTests\HttpTestCase;
use Howdah\HttpTests\Server;

/** Tests in which requests to locks/ want the same thing at the same time. */
abstract class LockTestCase extends HttpTestCase
{
    protected const APP = __DIR__ . '/locks';

    /** How long each of many has it. */
    protected const HOLD = 0.03;

    /** @return iterable<string, array{string, string}> */
    public static function endsInModes(): iterable
    {
        foreach (self::modes() as [$mode]) {
            foreach (['exit', 'throw', 'memory'] as $way) {
                yield "$way in $mode mode" => [$mode, $way];
            }
        }
    }

    /** @return list<string> */
    protected static function options(string $mode): array
    {
        Components::folder();
        $ini = ['--ini=display_errors=0', '--ini=log_errors=0', '--ini=memory_limit=64M'];

        $ini[] = '--client-abort=cancel';

        return ['--workers=1', ...$ini, $mode === 'worker' ? '--worker-script=' . self::APP . '/worker.php' : '--mode=classic'];
    }

    /** A session or a file that no other test uses. */
    protected static function freshName(): string
    {
        return 'test' . bin2hex(random_bytes(8));
    }

    /** @param array<string, scalar> $more */
    protected static function uri(string $do, string $name, float $hold, array $more = []): string
    {
        return '/?' . http_build_query(['do' => $do, 'name' => $name, 'hold' => $hold] + $more);
    }

    /**
     * Sends a request and does not wait for its answer.
     *
     * @return resource
     */
    protected static function send(Server $server, string $uri)
    {
        $socket = stream_socket_client("tcp://127.0.0.1:{$server->port}");
        self::assertIsResource($socket);
        stream_set_timeout($socket, 20);
        fwrite($socket, "GET $uri HTTP/1.0\r\nHost: localhost\r\n\r\n");

        return $socket;
    }

    /**
     * Sends requests to one of a server's workers: the others cannot take connections meanwhile.
     *
     * @param  list<string>   $uris
     * @return list<resource>
     */
    protected static function sendTo(Server $server, int $worker, array $uris): array
    {
        $others = array_diff($server->workers(), [$worker]);
        foreach ($others as $other) {
            posix_kill($other, SIGSTOP);
            $isStopped = static fn (): bool => str_contains((string) file_get_contents("/proc/$other/status"), "State:\tT");
            self::assertTrue($server->eventually($isStopped));
        }
        $sockets = array_map(static fn (string $uri) => self::send($server, $uri), $uris);
        $areTaken = static fn (): bool => !self::hasWaiting($server->port);
        self::assertTrue($server->eventually($areTaken), "worker $worker does not take them");
        array_map(static fn (int $other): bool => posix_kill($other, SIGCONT), $others);

        return $sockets;
    }

    /** Whether connections wait in a listening socket's queue. */
    private static function hasWaiting(int $port): bool
    {
        // Of a listening socket (0A) the receive queue counts them (Linux, net/ipv4/tcp_ipv4.c, get_tcp4_sock()).
        $socket = sprintf('/: [0-9A-F]{8}:%04X 00000000:0000 0A [0-9A-F]{8}:(?!00000000)/', $port);

        return preg_match($socket, (string) file_get_contents('/proc/net/tcp')) === 1;
    }

    /**
     * @param  resource $socket
     * @return array<array-key, mixed>
     */
    protected static function receive($socket): array
    {
        $answer = (string) stream_get_contents($socket);
        self::assertFalse(stream_get_meta_data($socket)['timed_out'], 'it hangs');
        $body = substr($answer, (int) strpos($answer, "\r\n\r\n") + 4);
        $told = json_decode($body, true);
        self::assertIsArray($told, $answer);

        return $told;
    }

    /**
     * All at once.
     *
     * @param  list<string> $uris
     * @return list<array<array-key, mixed>>
     */
    protected static function ask(Server $server, array $uris): array
    {
        $sockets = array_map(static fn (string $uri) => self::send($server, $uri), $uris);

        return array_map(self::receive(...), $sockets);
    }

    /**
     * Of a server with two workers: as many to each, at nearly the same time.
     *
     * @param  list<string> $uris
     * @return list<array<array-key, mixed>>
     */
    protected static function askBoth(Server $server, array $uris): array
    {
        $sockets = [];
        foreach ($server->workers() as $worker) {
            $sockets = [...$sockets, ...self::sendTo($server, $worker, $uris)];
        }
        $answers = array_map(self::receive(...), $sockets);
        self::assertEqualsCanonicalizing($server->workers(), array_unique(array_column($answers, 'pid'), SORT_REGULAR));

        return $answers;
    }

    /**
     * @param  list<array<array-key, mixed>> $answers
     * @return list<mixed> what each tells of a thing, in the order in which the requests arrived
     */
    protected static function byArrival(array $answers, string $thing): array
    {
        usort($answers, static fn (array $one, array $other): int => $one['arrived'] <=> $other['arrived']);

        return array_column($answers, $thing);
    }

    /** @param list<array<array-key, mixed>> $answers */
    protected static function assertNeverTwo(array $answers): void
    {
        usort($answers, static fn (array $one, array $other): int => $one['had'] <=> $other['had']);
        foreach (array_slice($answers, 1) as $number => $answer) {
            self::assertGreaterThanOrEqual($answers[$number]['free'], $answer['had'], 'two had it at the same time');
        }
    }

    /**
     * A slice may end between a request's look at the clock and its call; then another one comes first. Not three times.
     *
     * @param list<int>              $expected
     * @param callable(): list<mixed> $round    asks, and returns what came in the order of arrival
     */
    protected static function assertInOrder(array $expected, callable $round): void
    {
        for ($try = 1; $try < 3; $try++) {
            if ($round() === $expected) {
                return;
            }
        }
        self::assertSame($expected, $round());
    }
}
