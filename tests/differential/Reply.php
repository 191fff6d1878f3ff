<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential;

/** One answer, as it came. */
final readonly class Reply
{
    /**
     * @param array<string, list<string>> $headers "Name: value" by name in lower case
     * @param string                      $framing chunked, length, close or none: how the end is told
     * @param bool                        $whole   whether the end came
     */
    public function __construct(
        public string $status,
        public array $headers,
        public string $body,
        public string $framing,
        public bool $whole,
    ) {
    }

    /**
     * All answers on a connection that has been closed.
     *
     * @param list<bool> $heads for each request: whether its answer has no body
     *
     * @return list<self>
     */
    public static function all(string $bytes, array $heads): array
    {
        $replies = [];
        while ($bytes !== '') {
            $replies[] = $reply = self::first($bytes, $heads[0] ?? false);
            if (!str_starts_with($reply->status, 'HTTP/1.1 1')) {
                array_shift($heads);
            }
        }

        return $replies;
    }

    /** Takes the first answer from the bytes. */
    private static function first(string &$bytes, bool $isHead): self
    {
        $end = strpos($bytes, "\r\n\r\n");
        if ($end === false || !str_starts_with($bytes, 'HTTP/1.')) {
            [$text, $bytes] = [$bytes, ''];

            return new self('no HTTP answer', [], $text, 'close', false);
        }
        $lines = explode("\r\n", substr($bytes, 0, $end));
        $bytes = substr($bytes, $end + 4);
        $status = array_shift($lines);
        $headers = [];
        foreach ($lines as $line) {
            $headers[strtolower(strtok($line, ':') ?: '')][] = $line;
        }
        ksort($headers);
        if ($isHead || preg_match('#^HTTP/1\.. (1\d\d|204|304)#', $status) === 1) {
            return new self($status, $headers, '', 'none', true);
        }
        if (isset($headers['transfer-encoding'])) {
            [$body, $whole] = self::chunks($bytes);

            return new self($status, $headers, $body, 'chunked', $whole);
        }
        $length = isset($headers['content-length']) ? (int) substr($headers['content-length'][0], 15) : strlen($bytes);
        [$body, $bytes] = [substr($bytes, 0, $length), (string) substr($bytes, $length)];

        $framing = isset($headers['content-length']) ? 'length' : 'close';

        return new self($status, $headers, $body, $framing, strlen($body) === $length);
    }

    /** @return array{string, bool} the body, and whether its end is there */
    private static function chunks(string &$bytes): array
    {
        $body = '';
        while (preg_match('/^([0-9a-f]+)\r\n/', $bytes, $size) === 1) {
            $length = (int) hexdec($size[1]);
            $body .= substr($bytes, strlen($size[0]), $length);
            $bytes = (string) substr($bytes, strlen($size[0]) + $length + 2);
            if ($length === 0) {
                return [$body, true];
            }
        }
        $bytes = '';

        return [$body, false];
    }
}
