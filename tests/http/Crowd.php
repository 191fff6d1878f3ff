<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;

/**
 * Clients that ask for / again and again, some on connections that they keep as long as the server lets them, others on a new
 * one each time. They try nothing twice, as curl would: a request without an answer is lost. But not where a client has kept a
 * connection without a word for so long, because this machine stood still, that a server may close it just then.
 */
final class Crowd
{
    /** QUIET_MS of nginx/succession.c. */
    public const QUIET_SECONDS = 2;

    public int $answered = 0;

    /** @var array<string, int> how often, by "STATUS BODY" */
    public array $answers = [];

    /** @var list<string> what became of requests without an answer */
    public array $lost = [];

    /** @var array<int, resource> connections, by client */
    private array $connections = [];

    /** @var array<int, Clock> since its last request, by client who keeps its connection */
    private array $silence = [];

    /** @var array<int, bool> by client: its connection was quiet for too long */
    private array $mayBeLost = [];

    /** @var array<int, string> what came so far of an answer, by the client who waits for it */
    private array $waiting = [];

    public function __construct(private readonly int $port, private readonly int $keeping, private readonly int $others)
    {
    }

    /** All who do not wait ask; then those are heard whose answer comes. */
    public function turn(): void
    {
        for ($client = 0; $client < $this->keeping + $this->others; ++$client) {
            if (!isset($this->waiting[$client])) {
                $this->ask($client);
            }
        }
        $this->hear();
    }

    /** Nobody asks any more; all who wait are heard. */
    public function rest(): void
    {
        while ($this->waiting !== []) {
            $this->hear();
        }
    }

    private function ask(int $client): void
    {
        $keeps = $client < $this->keeping;
        $connection = $this->connections[$client] ?? @stream_socket_client("tcp://127.0.0.1:{$this->port}");
        if ($connection === false) {
            $this->lost[] = 'refused: ' . (error_get_last()['message'] ?? '');

            return;
        }
        stream_set_blocking($connection, false);
        $this->connections[$client] = $connection;
        $this->waiting[$client] = '';
        $now = Clock::start();
        @fwrite($connection, "GET / HTTP/1.1\r\nHost: test\r\n" . ($keeps ? '' : "Connection: close\r\n") . "\r\n");
        $silence = $this->silence[$client] ?? null;
        $this->mayBeLost[$client] = $silence !== null && $silence->seconds() >= self::QUIET_SECONDS;
        $this->silence[$client] = $now;
    }

    private function hear(): void
    {
        $read = array_intersect_key($this->connections, $this->waiting);
        $write = $except = null;
        if ($read !== [] && stream_select($read, $write, $except, (int) Clock::PATIENCE) === 0) {
            Clock::late(count($this->waiting) . ' clients wait for an answer');
        }
        foreach (array_keys($read) as $client) {
            $this->listen($client);
        }
    }

    private function listen(int $client): void
    {
        $came = (string) @fread($this->connections[$client], 65536);
        $this->waiting[$client] .= $came;
        if (preg_match('~^HTTP/1\.1 (\d+) (.*?)\r\n\r\n(.*)$~s', $this->waiting[$client], $match) === 1) {
            [, $status, $head, $body] = $match;
            $length = preg_match('/^Content-Length: (\d+)/mi', $head, $found) === 1 ? (int) $found[1] : 0;
            if (strlen($body) >= $length) {
                ++$this->answered;
                $this->answers["$status $body"] = 1 + ($this->answers["$status $body"] ?? 0);
                $this->done($client, stripos($head, 'Connection: close') === false);

                return;
            }
        }
        if ($came === '' && feof($this->connections[$client])) {
            if ($this->waiting[$client] !== '' || !$this->mayBeLost[$client]) {
                $this->lost[] = 'closed after ' . strlen($this->waiting[$client]) . ' bytes';
            }
            $this->done($client, false);
        }
    }

    private function done(int $client, bool $keeps): void
    {
        unset($this->waiting[$client]);
        if (!$keeps) {
            fclose($this->connections[$client]);
            unset($this->connections[$client], $this->silence[$client]);
        }
    }
}
