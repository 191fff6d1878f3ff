<?php

declare(strict_types=1);

namespace Howdah\Tests\Lives;

use RuntimeException;

/**
 * The engine with one line changed, and the walk built with it.
 */
final class Mutant
{
    /** Where something is counted that has to be right: one mutant of each does not count, and one counts twice. */
    private const COUNTS = '/(--)?((?:realm->)?pool->(?:(?:counts|tally|slots)\.)?'
        . '(?:realms|births|deaths|requests|cancelled|queued|in_flight|untidy|living|fated|ends)'
        . '(?:\[[^]]+\])?)(\+\+|--)?/';

    /** The tables of what is legal: of each row there is one mutant without it. */
    private const ROWS = '/^ *\[HOWDAH_\w+\]\[HOWDAH_\w+\] = true,/';

    /** What was wrong once, and was found by a walk: a line => what it was. */
    private const FAULTS = [
        'howdah_counts_alive(counts) <= counts->most;' => 'true;',
    ];

    private function __construct(
        private readonly string $file,
        private readonly int $line,
        private readonly string $change,
    ) {
    }

    /**
     * @return iterable<string, array{self}>
     */
    public static function all(): iterable
    {
        $files = glob(self::root() . '/engine/realm/*.c');
        foreach ($files === false ? [] : $files as $file) {
            foreach (self::lines($file) as $number => $line) {
                $at = basename($file) . ':' . ($number + 1) . ': ' . trim(explode('/*', $line)[0]);
                foreach (self::changes($line) as $what => $change) {
                    yield "{$what} {$at}" => [new self($file, $number, $change)];
                }
            }
        }
    }

    /**
     * @return array<string, string> what is done to the line => what is there instead
     */
    private static function changes(string $line): array
    {
        if (preg_match(self::ROWS, $line) === 1) {
            return ['without' => ''];
        }
        foreach (self::FAULTS as $right => $wrong) {
            if (str_contains($line, $right)) {
                return ['as it was' => str_replace($right, $wrong, $line)];
            }
        }
        $counts = preg_match(self::COUNTS, $line, $match, PREG_UNMATCHED_AS_NULL) === 1;
        if (!$counts || ($match[1] ?? $match[3] ?? null) === null) {
            return [];
        }
        [$all, , $counter, $after] = $match + [3 => null];
        [$once, $twice] = match ($after) {
            '++' => [$counter, "(({$counter} += 2) - 2)"],
            '--' => [$counter, "(({$counter} -= 2) + 2)"],
            default => ["({$counter} - 1)", "(({$counter} -= 2) + 1)"],
        };

        return [
            'without' => str_replace((string) $all, (string) $once, $line),
            'twice' => str_replace((string) $all, $twice, $line),
        ];
    }

    /**
     * The walk with it. The changed object comes before the library, whose own is not linked then.
     */
    public function build(): string
    {
        $lines = self::lines($this->file);
        $lines[$this->line] = $this->change;
        $folder = Walk::folder() . '/lives/mutant';
        if (!is_dir($folder) && !mkdir($folder, 0777, true)) {
            throw new RuntimeException("{$folder}: cannot be made");
        }
        $source = "{$folder}/" . basename($this->file);
        file_put_contents($source, implode("\n", $lines));
        $make = ['make', '--no-print-directory', '-C', self::root(), 'lives-mutant'];
        $make = [...$make, "MUTANT={$source}", 'FOLDER=' . dirname($this->file)];
        $built = Walk::of($make);
        if ($built->exit !== 0) {
            throw new RuntimeException("the mutant cannot be built: {$built->said}");
        }

        return "{$folder}/walk";
    }

    private static function root(): string
    {
        return dirname(__DIR__, 2);
    }

    /**
     * @return list<string>
     */
    private static function lines(string $file): array
    {
        $lines = file($file, FILE_IGNORE_NEW_LINES);
        if ($lines === false) {
            throw new RuntimeException("{$file}: cannot be read");
        }

        return $lines;
    }
}
