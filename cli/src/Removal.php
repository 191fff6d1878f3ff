<?php

declare(strict_types=1);

namespace Howdah\Cli;

/**
 * Removes a folder of ours, with all that is in it. nginx gives folders in it to the user of its workers (--user), so what root
 * looks at there may be another thing, a link to elsewhere, when root acts.
 *
 * Invariant: nothing is looked at in a folder before nobody else can write there. PHP cannot say "by this descriptor", nor "no
 * link": so each folder becomes ours first, from the outermost on, and its entries stay what they are then.
 */
final readonly class Removal
{
    /** The folder has to be ours, and where nobody else can put another one in its place (Place). */
    public static function of(string $folder): void
    {
        $is = self::lstat($folder);
        if ($is !== null && self::isFolder($is) && $is['uid'] === posix_geteuid()) {
            self::empty($folder, $is['dev']);
            @rmdir($folder);
        }
    }

    private static function empty(string $folder, int $device): void
    {
        if (!self::take($folder, $device)) {
            return;
        }
        foreach (@scandir($folder, SCANDIR_SORT_NONE) ?: [] as $name) {
            if ($name === '.' || $name === '..') {
                continue;
            }
            $is = self::lstat("$folder/$name");
            if ($is !== null && self::isFolder($is)) {
                self::empty("$folder/$name", $device);
                @rmdir("$folder/$name");
            } else {
                @unlink("$folder/$name");
            }
        }
    }

    /** Whether it is ours alone now; an entry of a folder that is, or the outermost one. Not so: what somebody has mounted there. */
    private static function take(string $folder, int $device): bool
    {
        $isRoot = posix_geteuid() === 0;
        if (($isRoot && !@lchown($folder, 0)) || !@chmod($folder, 0700)) {
            return false;
        }
        $is = self::lstat($folder);

        return $is !== null && self::isFolder($is) && $is['uid'] === posix_geteuid() && $is['dev'] === $device
            && !(new FileMode($is['mode']))->isWritableByOthers();
    }

    /** @param array{mode: int, ...} $is */
    private static function isFolder(array $is): bool
    {
        return (new FileMode($is['mode']))->isFolder();
    }

    /** @return array{mode: int, uid: int, dev: int, ...}|null not of a link's target; null: there is nothing */
    private static function lstat(string $path): ?array
    {
        clearstatcache();

        return @lstat($path) ?: null;
    }
}
