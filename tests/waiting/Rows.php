<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

/** The ways to wait that are tested: app/rows/NAME.php, and the components that it needs. */
final class Rows
{
    /** @var array<string, list<class-string<Component>>> in the order of the alphabet, one a line */
    private const ROWS = [
        'sleep' => [],
        'usleep' => [],
    ];

    /** @return list<string> */
    public static function names(): array
    {
        return array_keys(self::ROWS);
    }

    /** Starts what a row needs. */
    public static function prepare(string $row): void
    {
        Components::folder();
        Components::need(...self::ROWS[$row]);
    }
}
