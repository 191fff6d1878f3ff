<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use RuntimeException;

/** One HTTP/1 connection, byte by byte: what curl keeps from a test, as half a request or an answer that nobody reads. */
final class Http1
{
    /** @var resource */
    public $socket;

    /** Nothing has been read. */
    public bool $isFresh = true;

    public function __construct(int $port, float $patience = 30)
    {
        $socket = stream_socket_client("tcp://127.0.0.1:$port", $code, $message, $patience);
        if ($socket === false) {
            throw new RuntimeException("no connection: $message");
        }
        stream_set_timeout($socket, (int) $patience);
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

    /** A whole answer; null when the connection ends, or is silent for too long, before it is whole. */
    public function read(bool $isHead = false): ?Response
    {
        $start = microtime(true);
        $head = $this->head();
        if ($head === null) {
            return null;
        }
        [$status, $headers] = $head;
        $first = microtime(true) - $start;
        $length = $headers['content-length'][0] ?? null;
        $body = match (true) {
            $isHead || $status < 200 || in_array($status, [204, 304], true) => '',
            isset($headers['transfer-encoding']) => $this->chunks(),
            $length !== null => $this->bytes((int) $length),
            default => (string) stream_get_contents($this->socket),
        };

        return $body === null ? null : new Response($status, $headers, $body, microtime(true) - $start, $first);
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

    /** Whether the server closes the connection, whatever it sends before, and within the patience. */
    public function isClosed(): bool
    {
        while (!feof($this->socket)) {
            $read = fread($this->socket, 65536);
            if (($read === '' || $read === false) && stream_get_meta_data($this->socket)['timed_out']) {
                return false;
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

        return strlen($bytes) === $count ? $bytes : null;
    }

    /** @phpstan-impure */
    private function line(): ?string
    {
        $line = fgets($this->socket);

        return $line === false || !str_ends_with($line, "\n") ? null : rtrim($line, "\r\n");
    }
}
