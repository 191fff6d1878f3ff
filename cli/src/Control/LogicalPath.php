<?php

declare(strict_types=1);

namespace Howdah\Cli\Control;

/**
 * A path as its user sees it: absolute, and with the symbolic links in it.
 *
 * A deployment switches such a link (`current -> releases/17`). A server that kept only what the link led to, or its own
 * working folder, would never find the next release.
 */
final class LogicalPath
{
    public static function of(string $path): string
    {
        if ($path !== '' && $path[0] === '/') {
            return self::plain($path);
        }

        return self::plain(self::workingFolder() . "/$path");
    }

    /** The shell's word for the working folder, where it is true. */
    private static function workingFolder(): string
    {
        $real = (string) getcwd();
        $word = getenv('PWD');

        return is_string($word) && str_starts_with($word, '/') && realpath($word) === $real ? $word : $real;
    }

    /** Without "." and empty steps. ".." stays: behind a link it is another folder than it seems. */
    private static function plain(string $path): string
    {
        $steps = array_filter(explode('/', $path), static fn (string $step): bool => $step !== '' && $step !== '.');

        return '/' . implode('/', $steps);
    }
}
