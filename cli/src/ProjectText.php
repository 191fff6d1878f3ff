<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Closure;

/**
 * A text of the project's, which whoever writes there may have made into anything else: a pipe that nobody writes to, or a file
 * without end. A server that waited for it would hear no signal to stop any more.
 */
final readonly class ProjectText
{
    /** Bytes. Lists of refused addresses have some megabytes. */
    private const MOST = 16 << 20;

    /** Null: it cannot be read, is no file, or is too large. */
    public static function of(string $path): ?string
    {
        return self::in(self::opening($path)());
    }

    /**
     * Opens it, for in(), and loads no class: somebody else may do so who cannot read ours (ProjectOwner).
     *
     * @return Closure(): (resource|false)
     */
    public static function opening(string $path): Closure
    {
        // Not blocking ("n"): to open a pipe waits for its other end, and some files of /proc wait for what comes.
        return static fn () => @fopen($path, 'rn');
    }

    /** @param resource|false $file is closed */
    public static function in(mixed $file): ?string
    {
        if ($file === false) {
            return null;
        }
        $isFile = (new FileMode(fstat($file)['mode'] ?? 0))->isRegular();
        $text = $isFile ? @stream_get_contents($file, self::MOST + 1) : false;
        fclose($file);

        return $text === false || strlen($text) > self::MOST ? null : $text;
    }
}
