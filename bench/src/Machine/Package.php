<?php

declare(strict_types=1);

namespace Howdah\Bench\Machine;

/** What an application has from Composer. */
final class Package
{
    /** Why the application lacks it, and the way out; null when it has it. */
    public static function missing(string $package, string $project): ?string
    {
        return is_dir("$project/vendor/$package") ? null
            : "$package is not installed: `composer --working-dir=$project require $package`";
    }
}
