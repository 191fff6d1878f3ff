<?php

declare(strict_types=1);

namespace Howdah\Cli\Control;

use Howdah\Cli\FileMode;
use Howdah\Cli\Place;
use Howdah\Cli\Removal;
use Howdah\Cli\RuntimeFolder;

/** Runtime folders of this user whose process was killed before it could remove them. */
final readonly class Leftovers
{
    /** Those of one temporary folder. Where others can put folders in the place of ours, they are left. */
    public static function remove(string $temporary): void
    {
        $place = new Place($temporary);
        if ($place->weakness(true) !== null) {
            return;
        }
        $form = '/^' . RuntimeFolder::PREFIX . '[0-9a-f]{12}$/D';
        foreach (@scandir($place->path, SCANDIR_SORT_NONE) ?: [] as $name) {
            $folder = "{$place->path}/$name";
            if (preg_match($form, $name) === 1 && self::isOurs($folder) && FolderOwner::of($folder)?->hasGone() === true) {
                Removal::of($folder);
            }
        }
    }

    private static function isOurs(string $folder): bool
    {
        clearstatcache();
        $is = @lstat($folder);
        $mode = new FileMode($is['mode'] ?? 0);

        return $is !== false && $mode->isFolder() && $is['uid'] === posix_geteuid() && !$mode->isWritableByOthers();
    }
}
