<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

use RuntimeException;

/** How rows reach the components: tests write it, each request reads it anew, as components are started when they are needed. */
final class Settings
{
    /** The environment variable with the file's name. */
    public const VARIABLE = 'WAITING_SETTINGS';

    /** @return array<string, string> */
    public static function of(string $component): array
    {
        /** @var array<string, array<string, string>> $all */
        $all = json_decode((string) file_get_contents(self::file()), true, flags: JSON_THROW_ON_ERROR);

        return $all[$component] ?? throw new RuntimeException("$component does not run: is it beside the row in Rows.php?");
    }

    /** Where rows may leave files for the tests to see. */
    public static function folder(): string
    {
        return dirname(self::file());
    }

    private static function file(): string
    {
        return getenv(self::VARIABLE) ?: throw new RuntimeException(self::VARIABLE . ' is not set');
    }
}
