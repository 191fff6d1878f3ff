<?php

declare(strict_types=1);

namespace Howdah\Bench\Load;

/** One answer, read from the connection as wrk reads it: kept alive, and counted in bytes of the wire. */
final readonly class Answer
{
    private const SECONDS = 20;

    /** @param array<string, string> $headers by name in small letters; the last one of a name */
    private function __construct(public int $status, public string $body, public int $bytes, public array $headers)
    {
    }

    /** Null when nobody listens, or what comes is no whole answer. */
    public static function get(int $port, string $path): ?self
    {
        $connection = self::ask($port, $path);

        return $connection === null ? null : self::read($connection);
    }

    /**
     * Null when nobody listens.
     *
     * @param string|null $body of a POST
     *
     * @return ?resource the connection on which the answer will come
     */
    public static function ask(int $port, string $path, ?string $body = null)
    {
        $connection = @stream_socket_client("tcp://127.0.0.1:$port", $code, $message, self::SECONDS);
        if ($connection === false) {
            return null;
        }
        stream_set_timeout($connection, self::SECONDS);
        // Who has died meanwhile is noticed when no answer comes.
        @fwrite($connection, self::request($path, $body));

        return $connection;
    }

    /** A request as it is written; with a body it is a POST. */
    public static function request(string $path, ?string $body = null, bool $chunked = false, bool $last = false): string
    {
        $method = $body === null ? 'GET' : 'POST';
        $framing = match (true) {
            $body === null => '',
            $chunked => "Transfer-Encoding: chunked\r\n",
            default => 'Content-Length: ' . strlen($body) . "\r\n",
        };
        $close = $last ? "Connection: close\r\n" : '';
        $content = $chunked ? dechex(strlen((string) $body)) . "\r\n$body\r\n0\r\n\r\n" : $body;

        return "$method $path HTTP/1.1\r\nHost: 127.0.0.1\r\n$framing$close\r\n$content";
    }

    /**
     * Null when what comes is no whole answer.
     *
     * @param resource $connection
     */
    public static function read($connection): ?self
    {
        $head = '';
        do {
            $line = fgets($connection);
            $head .= $line;
        } while ($line !== false && $line !== "\r\n");
        if ($line === false || preg_match('~^HTTP/1\.1 (\d{3}) ~', $head, $status) !== 1) {
            return null;
        }
        if (preg_match('/^Content-Length: (\d+)\r$/mi', $head, $length) === 1) {
            $body = (int) $length[1] > 0 ? stream_get_contents($connection, (int) $length[1]) : '';
            $bytes = strlen($head) + strlen((string) $body);
        } else {
            [$body, $framed] = self::chunks($connection);
            $bytes = strlen($head) + $framed;
        }

        preg_match_all('/^([^:\s]+):[ \t]*(.*?)\r$/m', $head, $lines);
        $headers = array_combine(array_map(strtolower(...), $lines[1]), $lines[2]);

        return is_string($body) ? new self((int) $status[1], $body, $bytes, $headers) : null;
    }

    /**
     * The chunked coding (RFC 9112, section 7.1).
     *
     * @param resource $connection
     *
     * @return array{?string, int} the body, null when it is not whole; bytes with framing
     */
    private static function chunks($connection): array
    {
        $body = '';
        $bytes = 0;
        do {
            $line = (string) fgets($connection);
            $length = ctype_xdigit(rtrim($line)) ? (int) hexdec(rtrim($line)) : -1;
            $chunk = (string) stream_get_contents($connection, max(0, $length) + 2);
            $bytes += strlen($line) + strlen($chunk);
            if ($length < 0 || strlen($chunk) !== $length + 2) {
                return [null, $bytes];
            }
            $body .= substr($chunk, 0, $length);
        } while ($length > 0);

        return [$body, $bytes];
    }
}
