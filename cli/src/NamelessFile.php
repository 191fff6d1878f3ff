<?php

declare(strict_types=1);

namespace Howdah\Cli;

/** A temporary file without a name: nothing is left of it, however this process ends. */
final readonly class NamelessFile
{
    /** @return resource|null null: none can be made */
    public static function open()
    {
        $file = @tmpfile();
        if ($file === false) {
            return null;
        }
        // PHP removes its name when it is closed, which a signal prevents.
        @unlink(stream_get_meta_data($file)['uri'] ?? '');

        return $file;
    }
}
