<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\HttpTests\HttpTestCase;
use Howdah\HttpTests\Server;
use Howdah\Tests\Clock;

/** Tests in which requests to locks/ want the same thing at the same time. */
abstract class LockTestCase extends HttpTestCase
{
    protected const APP = __DIR__ . '/locks';
    protected const MAY_CRASH = false;

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
    protected static function uri(string $do, string $name, float $hold = 0, array $more = []): string
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
        stream_set_timeout($socket, (int) Clock::PATIENCE);
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
            Clock::await($isStopped, "worker $other stops");
        }
        $sockets = array_map(static fn (string $uri) => self::send($server, $uri), $uris);
        Clock::await(static fn (): bool => self::areTaken($server->port, $sockets), "worker $worker takes them");
        array_map(static fn (int $other): bool => posix_kill($other, SIGCONT), $others);

        return $sockets;
    }

    /**
     * Whether a server has accepted all these connections.
     *
     * @param list<resource> $clients
     */
    private static function areTaken(int $port, array $clients): bool
    {
        $connections = Connections::text();
        foreach ($clients as $client) {
            $name = (string) stream_socket_get_name($client, false);
            $pair = sprintf('%04X [0-9A-F]{8}:%04X', $port, (int) substr($name, (int) strrpos($name, ':') + 1));
            // Until then it is SYN_RECV (03), which may outlast the client's connect(), or ESTABLISHED (01) without an inode.
            $line = "~: [0-9A-F]{8}:$pair (?!03)(?:01 \\S+ \\S+ \\S+ +\\d+ +\\d+ [1-9]|(?!01))~";
            if (preg_match($line, $connections) !== 1) {
                return false;
            }
        }

        return true;
    }

    /**
     * @param  resource $socket
     * @return array<array-key, mixed>
     */
    protected static function receive($socket): array
    {
        $answer = (string) stream_get_contents($socket);
        stream_get_meta_data($socket)['timed_out'] && Clock::late('it hangs');
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
     * One after the other, to one worker: each is sent when those before it wait. What they ask for, others have.
     *
     * @param  list<string>   $uris
     * @return list<resource>
     */
    protected static function sendInTurn(Server $server, int $worker, array $uris): array
    {
        $sockets = [];
        foreach ($uris as $uri) {
            $told = self::freshName();
            $sockets = [...$sockets, ...self::sendTo($server, $worker, ["$uri&tells=$told"])];
            self::awaitTold($told, $worker);
        }

        return $sockets;
    }

    /**
     * Sends a request and returns when it waits, or has ended: `tells` is what its uri() has of itself.
     *
     * @return resource
     */
    protected static function sendAndAwait(Server $server, string $uri)
    {
        return self::sendInTurn($server, $server->workers()[0], [$uri])[0];
    }

    /** Lets requests go on that hold something until that. */
    protected static function release(string $until): void
    {
        touch(Components::folder() . "/$until");
    }

    /** Until a file is there that a request makes. */
    protected static function awaitFile(string $name): void
    {
        $path = Components::folder() . "/$name";
        Clock::await(static fn (): bool => file_exists($path), "$name comes");
    }

    /** Until a server has closed all connections that their clients have closed. */
    protected static function awaitGone(Server $server): void
    {
        // CLOSE_WAIT (08), as proc(5) numbers them.
        $left = sprintf('/: [0-9A-F]{8}:%04X [0-9A-F]{8}:[0-9A-F]{4} 08 /', $server->port);
        Clock::await(
            static fn (): bool => preg_match($left, Connections::text()) === 0,
            'the server notices that clients have gone',
        );
    }

    /** Until a request has told that it began, and its worker, which has no other work, sleeps: the request waits. */
    private static function awaitTold(string $told, int $worker): void
    {
        $path = Components::folder() . "/$told";
        $waits = static function () use ($path, $worker): bool {
            clearstatcache();

            return is_file($path) && str_contains((string) file_get_contents("/proc/$worker/status"), "State:\tS");
        };
        Clock::await($waits, 'a request begins and waits');
    }

    /**
     * In turn, the first of which keeps what all want until all others wait for it.
     *
     * @param  list<string> $uris
     * @return list<array<array-key, mixed>>
     */
    protected static function askInTurn(Server $server, array $uris): array
    {
        $all = self::freshName();
        $uris[0] .= "&until=$all";
        $sockets = self::sendInTurn($server, $server->workers()[0], $uris);
        self::release($all);

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

    /** @param list<array<array-key, mixed>> $answers */
    protected static function assertNeverTwo(array $answers): void
    {
        usort($answers, static fn (array $one, array $other): int => $one['had'] <=> $other['had']);
        foreach (array_slice($answers, 1) as $number => $answer) {
            self::assertTrue($answers[$number]['free'] <= $answer['had'], 'two had it at the same time');
        }
    }
}
