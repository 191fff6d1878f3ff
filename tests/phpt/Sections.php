<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** The sections of a .phpt file, read by the rules of run-tests.php (class TestFile, PHP 8.2 and 8.4). */
final class Sections
{
    /** @param array<string, string> $texts */
    private function __construct(public readonly string $file, private readonly array $texts)
    {
    }

    public static function of(string $file): self
    {
        $lines = file($file);
        if ($lines === false || preg_match('/^--TEST--/', $lines[0] ?? '') !== 1) {
            throw new Failure("$file does not begin with --TEST--");
        }
        $texts = [];
        $section = '';
        $done = false;
        foreach ($lines as $line) {
            if (preg_match('/^--([_A-Z]+)--/', $line, $found) === 1) {
                $section = $found[1];
                $texts[$section] = '';
                $done = false;
                continue;
            }
            if (!$done) {
                $texts[$section] .= $line;
            }
            $done = $done || str_starts_with($section, 'FILE') && preg_match('/^===DONE===\s*$/', $line) === 1;
        }

        return new self($file, self::whole($file, $texts));
    }

    public function has(string ...$names): bool
    {
        return array_intersect($names, array_keys($this->texts)) !== [];
    }

    public function isFilled(string $name): bool
    {
        return trim($this->texts[$name] ?? '') !== '';
    }

    public function get(string $name): string
    {
        return $this->texts[$name] ?? '';
    }

    /** @return list<string> the lines that are not empty, trimmed */
    public function lines(string $name): array
    {
        $lines = preg_split('/[\n\r]+/', trim($this->get($name))) ?: [];

        return array_values(array_filter(array_map(trim(...), $lines), static fn (string $line): bool => $line !== ''));
    }

    /**
     * @param array<string, string> $texts
     *
     * @return array<string, string> with what lies in other files
     */
    private static function whole(string $file, array $texts): array
    {
        foreach (['FILE', 'EXPECT', 'EXPECTF', 'EXPECTREGEX'] as $name) {
            if (isset($texts["{$name}_EXTERNAL"])) {
                $external = dirname($file) . '/' . trim(str_replace('..', '', $texts["{$name}_EXTERNAL"]));
                $text = file_get_contents($external);
                if ($text === false) {
                    throw new Failure("$file names $external, which is missing");
                }
                $texts[$name] = $text;
            }
        }
        if (isset($texts['FILEEOF'])) {
            $texts['FILE'] = (string) preg_replace('/[\r\n]+$/', '', $texts['FILEEOF']);
        }

        return $texts;
    }
}
