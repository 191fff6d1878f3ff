<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use RuntimeException;

/**
 * One HTTP/1 connection, byte by byte: what curl keeps from a test, as half a request or an answer that nobody
 * reads. A server that is silent for too long is late.
 */
final class Http1
{
    /** @var resource */
    public $socket;

    /** Nothing has been read. */
    public bool $isFresh = true;

    public function __construct(int $port)
    {
        $socket = stream_socket_client("tcp://127.0.0.1:$port", $code, $message, Clock::PATIENCE);
        if ($socket === false) {
            throw new RuntimeException("no connection: $message");
        }
        stream_set_timeout($socket, (int) Clock::PATIENCE);
        $this->socket = $socket;
    }

    /** Whether all of it was taken: the server may have closed the connection. */
    public function send(string $bytes): bool
    {
        return @fwrite($this->socket, $bytes) === strlen($bytes);
    }

    public function get(string $uri, string $headers = ''): self
    {
        $this->send("GET $uri HTTP/1.1\r\nHost: localhost\r\n$headers\r\n");

        return $this;
    }

    /** A whole answer; null when the connection ends before it is whole. */
    public function read(bool $isHead = false): ?Response
    {
        $clock = Clock::start();
        $head = $this->head();
        if ($head === null) {
            return null;
        }
        [$status, $headers] = $head;
        $first = $clock->seconds();
        $length = $headers['content-length'][0] ?? null;
        $body = match (true) {
            $isHead || $status < 200 || in_array($status, [204, 304], true) => '',
            isset($headers['transfer-encoding']) => $this->chunks(),
            $length !== null => $this->bytes((int) $length),
            default => $this->rest(),
        };

        return $body === null ? null : new Response($status, $headers, $body, $clock->seconds(), $first);
    }

    /**
     * The head of an answer, whose body is still to come; null when the connection ends before.
     *
     * @return ?array{int, array<string, list<string>>}
     */
    public function head(): ?array
    {
        $this->isFresh = false;
        if (preg_match('~^HTTP/1\.[01] (\d{3})~', $this->line() ?? '', $status) !== 1) {
            return null;
        }
        $headers = [];
        for ($line = $this->line(); $line !== ''; $line = $this->line()) {
            if ($line === null) {
                return null;
            }
            $parts = explode(':', $line, 2);
            $headers[strtolower($parts[0])][] = trim($parts[1] ?? '');
        }

        return [(int) $status[1], $headers];
    }

    /**
     * The next piece of a chunked body; '' at its end, null when the connection ends before.
     *
     * @phpstan-impure
     */
    public function chunk(): ?string
    {
        $line = $this->line();
        if ($line === null || preg_match('/^[0-9a-f]+$/i', $line) !== 1) {
            return null;
        }
        $chunk = $this->bytes((int) hexdec($line));

        return $chunk !== null && $this->bytes(2) === "\r\n" ? $chunk : null;
    }

    /** Whether the server closes the connection, whatever it sends before. */
    public function isClosed(): bool
    {
        while (!feof($this->socket)) {
            $read = fread($this->socket, 65536);
            if ($read === '' || $read === false) {
                $this->assertSpoke();
            }
        }

        return true;
    }

    private function chunks(): ?string
    {
        for ($body = ''; ($chunk = $this->chunk()) !== ''; $body .= $chunk) {
            if ($chunk === null) {
                return null;
            }
        }

        return $body;
    }

    /** @phpstan-impure */
    private function bytes(int $count): ?string
    {
        $bytes = $count > 0 ? (string) stream_get_contents($this->socket, $count) : '';
        if (strlen($bytes) !== $count) {
            $this->assertSpoke();

            return null;
        }

        return $bytes;
    }

    /** @phpstan-impure */
    private function line(): ?string
    {
        $line = fgets($this->socket);
        if ($line === false || !str_ends_with($line, "\n")) {
            $this->assertSpoke();

            return null;
        }

        return rtrim($line, "\r\n");
    }

    private function rest(): string
    {
        $rest = (string) stream_get_contents($this->socket);
        $this->assertSpoke();

        return $rest;
    }

    /** What was read is less than was asked for because the connection has ended. */
    private function assertSpoke(): void
    {
        if (stream_get_meta_data($this->socket)['timed_out']) {
            Clock::late('the server is silent');
        }
    }
}
