<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** What came back for one request. */
final class Answer
{
    /**
     * @param array<string, string> $headers by name in lower case; of several the last
     * @param ?string               $error   why there is none, or not a whole one
     */
    private function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
        public readonly ?string $error = null,
    ) {
    }

    public static function broken(string $why, string $bytes = ''): self
    {
        return new self(0, [], $bytes, $why);
    }

    /** From all that the server has sent until it closed the connection. */
    public static function of(string $bytes): self
    {
        [$head, $body] = [...explode("\r\n\r\n", $bytes, 2), null];
        if ($body === null || preg_match('#^HTTP/1\.[01] (\d{3}) ?(.*)#', (string) $head, $line) !== 1) {
            return self::broken($bytes === '' ? 'no answer' : 'not an HTTP answer', $bytes);
        }
        $headers = (int) $line[1] === 200 ? [] : ['status' => trim("$line[1] $line[2]")]; // as CGI tells it
        foreach (array_slice(explode("\r\n", (string) $head), 1) as $header) {
            [$name, $value] = [...explode(':', $header, 2), ''];
            $headers[strtolower(trim($name))] = trim($value);
        }
        if (($headers['transfer-encoding'] ?? '') === 'chunked') {
            $whole = self::joined($body);
            return $whole === null ? self::broken('half an answer', $body) : new self((int) $line[1], $headers, $whole);
        }
        $missing = (int) ($headers['content-length'] ?? 0) - strlen($body);

        return $missing > 0 ? self::broken('half an answer', $body) : new self((int) $line[1], $headers, $body);
    }

    /** The body without the marks of its chunks; null when its end is missing. */
    private static function joined(string $chunks): ?string
    {
        $body = '';
        $at = 0;
        while (preg_match('/\G([0-9a-f]+)[^\r\n]*\r\n/i', $chunks, $size, 0, $at) === 1) {
            $at += strlen($size[0]);
            $bytes = (int) hexdec($size[1]);
            if ($bytes === 0) {
                return $body;
            }
            $body .= substr($chunks, $at, $bytes);
            $at += $bytes + 2;
        }

        return null;
    }
}
