<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

use PHPUnit\Framework\Assert;

/** The same walk through both stacks: each step has the same status, redirects, headers and body. */
final class Comparison
{
    /** What nginx makes, or what tells of the moment. */
    private const HEADERS = ['date', 'server', 'connection', 'content-length', 'transfer-encoding', 'etag', 'last-modified',
        'expires'];

    public function __construct(private readonly Application $application)
    {
    }

    /**
     * @param array<string, Page> $expected
     * @param array<string, Page> $actual
     */
    public function assertSame(array $expected, array $actual): void
    {
        Assert::assertSame(array_keys($expected), array_keys($actual));
        Assert::assertNotSame([], $expected);
        $differences = [];
        foreach ($expected as $name => $page) {
            $differences = [...$differences, ...$this->differences($name, $this->facts($page), $this->facts($actual[$name]))];
        }
        Assert::assertSame([], $differences, "{$this->application->host()}: php-fpm's, then Howdah's");
    }

    /** @return array<string, string> */
    private function facts(Page $page): array
    {
        $headers = [];
        foreach (array_diff_key($page->headers, array_flip(self::HEADERS)) as $name => $values) {
            $headers[] = "$name: " . implode(' | ', array_map($this->header(...), $values));
        }
        sort($headers);

        return [
            'status' => (string) $page->status,
            'redirects' => $this->normalise((string) json_encode($page->hops, JSON_UNESCAPED_SLASHES)),
            'headers' => implode("\n", $headers),
            'body' => $this->normalise($page->body),
        ];
    }

    /** Cookies' names and attributes count; what is in them is random, or the moment. */
    private function header(string $value): string
    {
        $value = (string) preg_replace('~^([^=;, ]+)=[^;]*;(.*)$~', '$1=...;$2', $value);
        $value = (string) preg_replace('~expires=[A-Z][^;]*~i', 'expires=...', $value);

        return $this->normalise($value);
    }

    private function normalise(string $text): string
    {
        $folder = ['~[\w/]+/howdah-applications-[0-9a-f]+~' => 'FOLDER'];
        foreach ($folder + $this->application->changing() as $pattern => $instead) {
            $text = preg_replace($pattern, $instead, $text);
            Assert::assertIsString($text, "$pattern: " . preg_last_error_msg());
        }

        return $text;
    }

    /**
     * @param  array<string, string> $expected
     * @param  array<string, string> $actual
     * @return list<string>
     */
    private function differences(string $name, array $expected, array $actual): array
    {
        $differences = [];
        foreach ($expected as $fact => $value) {
            if ($value !== $actual[$fact]) {
                $differences[] = "$name, $fact:\n" . self::around($value, $actual[$fact]);
            }
        }

        return $differences;
    }

    /** Both texts from shortly before they differ. */
    private static function around(string $expected, string $actual): string
    {
        $at = strspn($expected ^ $actual, "\0");
        $from = max(0, $at - 100);

        return "at $at\n- " . substr($expected, $from, 300) . "\n+ " . substr($actual, $from, 300) . "\n";
    }
}
