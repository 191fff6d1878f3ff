<?php

declare(strict_types=1);

namespace Howdah\Cli;

/** A file that is written as a whole: who reads it meanwhile, or later when there was no room, has what was there before. */
final readonly class WholeFile
{
    /**
     * For nobody but its owner to read before it has its mode.
     *
     * @param string $remedy what to do where it cannot be written
     */
    public static function write(string $path, string $text, string $remedy, int $mode = 0600): void
    {
        $before = umask(0077);
        $file = @fopen("$path.new", 'w');
        umask($before);
        $isWritten = $file !== false && @fwrite($file, $text) === strlen($text) && fflush($file);
        $isClosed = $file !== false && fclose($file);
        if (!$isWritten || !$isClosed || !@chmod("$path.new", $mode) || !@rename("$path.new", $path)) {
            @unlink("$path.new");
            throw new Failure("cannot write $path: $remedy");
        }
    }
}
