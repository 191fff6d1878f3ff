<?php

declare(strict_types=1);

namespace Howdah\Bench\Machine;

/** What an application has from Composer. */
final class Package
{
    /**
     * Why the application lacks it, and the way out; null when it has it.
     *
     * @param string|null $least its version at least, as 3.5
     * @param string      $why   that version, as what comes after it
     */
    public static function missing(string $package, string $project, ?string $least = null, string $why = ''): ?string
    {
        $wanted = $package . ($least === null ? '' : ":^$least");
        $remedy = '`composer --working-dir=' . $project . " require $wanted`";
        if (!is_dir("$project/vendor/$package")) {
            return "$package is not installed: $remedy";
        }
        $version = $least === null ? null : self::version($package, $project);

        return $least === null || $version !== null && self::isAtLeast($version, $least) ? null
            : "$package " . ($version ?? 'of unknown version') . " is installed, and $least is the first $why: $remedy";
    }

    /** As Composer has noted it; null when it has not. */
    private static function version(string $package, string $project): ?string
    {
        $noted = json_decode((string) @file_get_contents("$project/vendor/composer/installed.json"), true);
        $packages = is_array($noted) ? $noted['packages'] ?? null : null;
        foreach (is_array($packages) ? $packages : [] as $one) {
            if (is_array($one) && ($one['name'] ?? null) === $package && is_string($one['version'] ?? null)) {
                return $one['version'];
            }
        }

        return null;
    }

    /** A branch is what somebody has chosen, whatever its number. */
    private static function isAtLeast(string $version, string $least): bool
    {
        return str_starts_with($version, 'dev-') || version_compare(ltrim($version, 'v'), $least, '>=');
    }
}
