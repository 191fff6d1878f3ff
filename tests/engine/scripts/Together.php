<?php

declare(strict_types=1);

/**
 * What two realms of one process agree on: files in a folder of their process. One waits until another has come to a place.
 */
final class Together
{
    private const MOST_MS = 60_000;

    public static function folder(): string
    {
        $folder = sys_get_temp_dir() . '/howdah-together-' . getmypid();
        is_dir($folder) || @mkdir($folder);

        return $folder;
    }

    /** A file of PHP code that opcache takes for old enough to be kept, or, new, does not keep. */
    public static function script(string $name, string $code, bool $old): string
    {
        $file = self::folder() . "/{$name}";
        is_dir(dirname($file)) || mkdir(dirname($file));
        file_put_contents($file, "<?php {$code}");
        touch($file, time() - ($old ? 60 : 0));

        return $file;
    }

    public static function reach(string $place): void
    {
        touch(self::folder() . "/{$place}");
    }

    public static function await(string $place): void
    {
        for ($ms = 0; !file_exists(self::folder() . "/{$place}"); ++$ms) {
            if ($ms > self::MOST_MS) {
                throw new RuntimeException("nobody has reached {$place}");
            }
            usleep(1000);
            clearstatcache();
        }
    }
}
