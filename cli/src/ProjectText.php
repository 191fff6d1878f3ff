<?php

declare(strict_types=1);

namespace Howdah\Cli;

/**
 * A text of the project's, which whoever writes there may have made into anything else: a pipe that nobody writes to, or a file
 * without end. A server that waited for it would hear no signal to stop any more.
 */
final readonly class ProjectText
{
    /** Bytes. Lists of refused addresses have some megabytes. */
    private const MOST = 16 << 20;

    private const FILE_TYPE = 0o170000;
    private const REGULAR = 0o100000;

    /** Null: it cannot be read, is no file, or is too large. */
    public static function of(string $path): ?string
    {
        // Not blocking ("n"): to open a pipe waits for its other end, and some files of /proc wait for what comes.
        $file = @fopen($path, 'rn');
        if ($file === false) {
            return null;
        }
        $isFile = ((fstat($file)['mode'] ?? 0) & self::FILE_TYPE) === self::REGULAR;
        $text = $isFile ? @stream_get_contents($file, self::MOST + 1) : false;
        fclose($file);

        return $text === false || strlen($text) > self::MOST ? null : $text;
    }
}
