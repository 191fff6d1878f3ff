<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** The tests that php-fpm's child does not survive, or that do not end, as found with some versions of PHP and of its tests. */
final class Unfit
{
    /** @var array<string, string> reasons by test */
    public readonly array $reasons;
    /** Whether the list is of these versions. */
    public readonly bool $holds;

    public function __construct(private readonly string $file, string $versions)
    {
        $this->reasons = Reasons::of($file);
        $first = is_file($file) ? (file($file, FILE_IGNORE_NEW_LINES) ?: [''])[0] : '';
        $this->holds = $first === "# $versions";
    }

    /**
     * What is wrong with the list, by what php-fpm has been asked.
     *
     * @param list<string> $found
     *
     * @return list<string>
     */
    public function complaints(array $found): array
    {
        if (!$this->holds) {
            return [];
        }
        $missing = array_diff($found, array_keys($this->reasons));
        $surplus = array_diff(array_keys($this->reasons), $found);

        $unnamed = fn (string $name): string => "$name: php-fpm gives no answer, and $this->file does not name it";
        $answered = fn (string $name): string => "$name: php-fpm answers: take it out of $this->file";

        return [...array_map($unnamed, array_values($missing)), ...array_map($answered, array_values($surplus))];
    }
}
