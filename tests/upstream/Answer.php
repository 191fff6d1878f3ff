<?php

declare(strict_types=1);

namespace Howdah\Tests\Upstream;

/** What came back. */
final readonly class Answer
{
    /**
     * @param int                         $status 0: nothing that HTTP knows
     * @param array<string, list<string>> $fields by lower-case name
     * @param bool                        $whole  its end was told as HTTP tells it
     * @param array<string, list<string>> $trailers
     */
    public function __construct(
        public int $status,
        public array $fields,
        public string $body,
        public bool $whole,
        public array $trailers = [],
    ) {
    }

    /** All values of a name. */
    public function field(string $name): ?string
    {
        return isset($this->fields[$name]) ? implode(', ', $this->fields[$name]) : null;
    }

    /** Of HTTP/1, of which this was all that came before the connection was closed. */
    public static function parse(string $bytes, bool $isHead): self
    {
        do {
            $parts = explode("\r\n\r\n", (string) $bytes, 2);
            $head = $parts[0];
            $bytes = $parts[1] ?? null;
            $status = preg_match('~^HTTP/1\.[01] (\d{3})~', $head, $match) === 1 ? (int) $match[1] : 0;
        } while ($bytes !== null && $status >= 100 && $status < 200);
        $fields = self::fields($head);
        if ($bytes === null) {
            return new self($status, $fields, '', false);
        }
        if ($isHead || in_array($status, [204, 304], true)) {
            return new self($status, $fields, $bytes, $bytes === '');
        }
        if (isset($fields['transfer-encoding'])) {
            return self::chunks($status, $fields, $bytes);
        }
        $length = $fields['content-length'][0] ?? null;

        return new self($status, $fields, $bytes, $length === null || (int) $length === strlen($bytes));
    }

    /** @param array<string, list<string>> $fields */
    private static function chunks(int $status, array $fields, string $bytes): self
    {
        $body = '';
        while (preg_match('~\A([0-9a-f]+)\r\n~i', $bytes, $match) === 1) {
            $bytes = substr($bytes, strlen($match[0]));
            $length = (int) hexdec($match[1]);
            if ($length === 0) {
                return new self($status, $fields, $body, str_ends_with("\r\n$bytes", "\r\n\r\n"), self::fields("\r\n$bytes"));
            }
            $body .= substr($bytes, 0, $length);
            $bytes = substr($bytes, $length + 2);
        }

        return new self($status, $fields, $body, false);
    }

    /** @return array<string, list<string>> */
    private static function fields(string $lines): array
    {
        $fields = [];
        foreach (array_slice(explode("\r\n", $lines), 1) as $line) {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            if ($name !== '') {
                $fields[strtolower($name)][] = trim($value);
            }
        }

        return $fields;
    }
}
