<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use RuntimeException;

/**
 * One HTTP/2 connection without TLS, frame by frame (RFC 9113): what curl keeps from a test, as windows that stay
 * closed. A server that is silent for too long is late.
 */
final class Http2
{
    private const DATA = 0;
    private const HEADERS = 1;
    private const RST_STREAM = 3;
    private const SETTINGS = 4;
    private const PING = 6;
    private const GOAWAY = 7;
    private const WINDOW_UPDATE = 8;

    private const END_STREAM = 1;
    private const ACK = 1;
    private const END_HEADERS = 4;

    /** HPACK's static table, as far as answers use it for their status (RFC 7541, appendix A). */
    private const STATUSES = [0x88 => 200, 0x89 => 204, 0x8a => 206, 0x8b => 304, 0x8c => 400, 0x8d => 404, 0x8e => 500];

    /** @var resource */
    private $socket;
    private int $stream = -1;

    /** @var array<int, string> by stream: what has come of its body */
    public array $bodies = [];

    /** @var array<int, int> by stream; 0 where the answer does not begin with it */
    public array $statuses = [];

    /** @var array<int, bool> by stream: it has ended; false when it was reset */
    public array $ended = [];

    /** The server has closed the connection, or said that it will. */
    public bool $closed = false;

    /** @param int $window bytes that the server may send on each stream before it is granted more */
    public function __construct(int $port, int $window = 65535)
    {
        $socket = stream_socket_client("tcp://127.0.0.1:$port", $code, $message, Clock::PATIENCE);
        if ($socket === false) {
            throw new RuntimeException("no connection: $message");
        }
        stream_set_timeout($socket, (int) Clock::PATIENCE);
        $this->socket = $socket;
        fwrite($socket, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        $this->send(self::SETTINGS, 0, 0, pack('nN', 4, $window));
    }

    /**
     * Asks, and returns the stream's number.
     *
     * @param array<string, string> $headers
     */
    public function request(string $path, string $method = 'GET', array $headers = [], bool $hasBody = false): int
    {
        $this->stream += 2;
        $fields = [':method' => $method, ':scheme' => 'http', ':path' => $path, ':authority' => 'localhost'] + $headers;
        $block = '';
        foreach ($fields as $name => $value) {
            // Literal, never indexed, not Huffman-coded (RFC 7541, 6.2.3).
            $block .= "\x10" . self::length(strlen($name)) . $name . self::length(strlen($value)) . $value;
        }
        $this->bodies[$this->stream] = '';
        $this->send(self::HEADERS, self::END_HEADERS | ($hasBody ? 0 : self::END_STREAM), $this->stream, $block);

        return $this->stream;
    }

    public function sendBody(int $stream, string $bytes, bool $last): void
    {
        foreach (str_split($bytes, 16384) as $piece) {
            $this->send(self::DATA, 0, $stream, $piece);
        }
        if ($last) {
            $this->send(self::DATA, self::END_STREAM, $stream, '');
        }
    }

    /** Lets the server send so many bytes more on a stream; 0: on all of them together. */
    public function grant(int $stream, int $bytes): void
    {
        $this->send(self::WINDOW_UPDATE, 0, $stream, pack('N', $bytes));
    }

    public function reset(int $stream): void
    {
        $this->send(self::RST_STREAM, 0, $stream, pack('N', 8));
        $this->ended[$stream] = false;
    }

    /** Breaks the connection: the server learns of an error (TCP's RST), not of an end. */
    public function abort(): void
    {
        $socket = socket_import_stream($this->socket);
        if ($socket !== false) {
            socket_set_option($socket, SOL_SOCKET, SO_LINGER, ['l_onoff' => 1, 'l_linger' => 0]);
            socket_close($socket);
        }
        $this->closed = true;
    }

    /**
     * Reads frames until the condition holds. False when the server closes the connection.
     *
     * @param callable(self): bool $condition
     */
    public function until(callable $condition): bool
    {
        while (!$condition($this)) {
            if (!$this->readFrame()) {
                $this->closed = true;

                return $condition($this);
            }
        }

        return true;
    }

    /** Bytes as they are, for frames that no client should send. */
    public function raw(string $bytes): void
    {
        @fwrite($this->socket, $bytes);
    }

    private function send(int $type, int $flags, int $stream, string $payload): void
    {
        $this->raw(substr(pack('N', strlen($payload)), 1) . pack('CCN', $type, $flags, $stream) . $payload);
    }

    private function readFrame(): bool
    {
        $head = (string) stream_get_contents($this->socket, 9);
        if (strlen($head) !== 9) {
            return $this->hasEnded();
        }
        /** @var array{length: int, type: int, flags: int, stream: int} $frame */
        $frame = unpack('Nlength/Ctype/Cflags/Nstream', "\0$head");
        $payload = $frame['length'] > 0 ? (string) stream_get_contents($this->socket, $frame['length']) : '';
        if (strlen($payload) !== $frame['length']) {
            return $this->hasEnded();
        }
        $stream = $frame['stream'];
        match ($frame['type']) {
            self::DATA => $this->bodies[$stream] .= $payload,
            self::HEADERS => $this->statuses[$stream] ??= self::status($payload),
            self::RST_STREAM => $this->ended[$stream] = false,
            self::SETTINGS => $frame['flags'] & self::ACK ? null : $this->send(self::SETTINGS, self::ACK, 0, ''),
            self::PING => $this->send(self::PING, self::ACK, 0, $payload),
            self::GOAWAY => $this->closed = true,
            default => null,
        };
        if (in_array($frame['type'], [self::DATA, self::HEADERS], true) && $frame['flags'] & self::END_STREAM) {
            $this->ended[$stream] = true;
        }

        return true;
    }

    /** The connection has ended, rather than been silent: there is no frame. */
    private function hasEnded(): false
    {
        if (stream_get_meta_data($this->socket)['timed_out']) {
            Clock::late('the server is silent');
        }

        return false;
    }

    /** By its number in the static table, or as three digits (RFC 7541, 6.2.1, as nginx writes them). */
    private static function status(string $fields): int
    {
        return self::STATUSES[ord($fields)] ?? (str_starts_with($fields, "\x48\x03") ? (int) substr($fields, 2, 3) : 0);
    }

    /** An integer with a prefix of seven bits (RFC 7541, 5.1). */
    private static function length(int $length): string
    {
        if ($length < 127) {
            return chr($length);
        }
        $text = chr(127);
        for ($length -= 127; $length >= 128; $length >>= 7) {
            $text .= chr($length & 127 | 128);
        }

        return $text . chr($length);
    }
}
