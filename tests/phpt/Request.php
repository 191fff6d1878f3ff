<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** The bytes of one HTTP request. */
final class Request
{
    private function __construct(public readonly string $bytes)
    {
    }

    /** As it is, also what is none. */
    public static function verbatim(string $bytes): self
    {
        return new self($bytes);
    }

    /**
     * @param string                $path    decoded
     * @param array<string, string> $headers
     */
    public static function to(string $path, string $query = '', array $headers = [], ?string $body = null): self
    {
        $target = implode('/', array_map(rawurlencode(...), explode('/', $path)));
        $target .= $query === '' ? '' : '?' . str_replace([' ', "\r", "\n"], ['%20', '%0D', '%0A'], $query);
        $headers = ['Host' => 'localhost', 'Connection' => 'close'] + $headers;
        if ($body !== null) {
            $headers['Content-Length'] = (string) strlen($body);
        }
        $lines = [($body === null ? 'GET' : 'POST') . " $target HTTP/1.1"];
        foreach ($headers as $name => $value) {
            $lines[] = "$name: $value";
        }

        return new self(implode("\r\n", $lines) . "\r\n\r\n" . $body);
    }

    /** What a test's sections ask for (run_test() of run-tests.php). */
    public static function of(Sections $test, string $path): self
    {
        $query = trim($test->get('GET'));
        $headers = $test->isFilled('COOKIE') ? ['Cookie' => trim($test->get('COOKIE'))] : [];
        $form = ['Content-Type' => 'application/x-www-form-urlencoded'];
        if ($test->isFilled('POST_RAW')) {
            [$type, $body] = self::raw(trim($test->get('POST_RAW')));
            return self::to($path, $query, $headers + ($type === null ? [] : ['Content-Type' => $type]), $body);
        }
        if ($test->isFilled('POST')) {
            return self::to($path, $query, $headers + $form, trim($test->get('POST')));
        }
        if ($test->isFilled('GZIP_POST')) {
            $body = (string) gzencode(trim($test->get('GZIP_POST')), 9);
            return self::to($path, $query, $headers + $form + ['Content-Encoding' => 'gzip'], $body);
        }
        if ($test->isFilled('DEFLATE_POST')) {
            $body = (string) gzcompress(trim($test->get('DEFLATE_POST')), 9);
            return self::to($path, $query, $headers + $form + ['Content-Encoding' => 'deflate'], $body);
        }

        return self::to($path, $query, $headers);
    }

    /** @return array{?string, string} the first Content-Type line, and what is left without it */
    private static function raw(string $text): array
    {
        $type = null;
        $lines = [];
        foreach (explode("\n", $text) as $line) {
            if ($type === null && preg_match('/^Content-Type:(.*)/i', $line, $found) === 1) {
                $type = trim(str_replace("\r", '', $found[1]));
                continue;
            }
            $lines[] = $line;
        }

        return [$type, implode("\n", $lines)];
    }
}
