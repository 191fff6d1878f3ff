<?php

declare(strict_types=1);

namespace Howdah\Cli\Doctor;

use Howdah\Cli\ProjectText;

/** What a project asks of PHP itself, in its composer.json and in those of the packages that it has installed. */
final readonly class Platform
{
    /** @param list<array{what: string, constraint: string, by: string}> $requirements "php" or "ext-..." */
    private function __construct(
        public array $requirements,
        public bool $isInstalled,
        public bool $isAwaited,
    ) {
    }

    /**
     * Null where there is no composer.json that can be read: then nothing is asked. Packages are awaited by a script that loads
     * them: Kirby and others bring a copy of what their composer.json names.
     */
    public static function of(string $root, ?string $script = null): ?self
    {
        $project = self::json("$root/composer.json");
        if ($project === null) {
            return null;
        }
        $config = self::map($project['config'] ?? null);
        $vendor = is_string($config['vendor-dir'] ?? null) ? $config['vendor-dir'] : 'vendor';
        $vendor = str_starts_with($vendor, '/') ? $vendor : "$root/$vendor";
        $installed = self::json("$vendor/composer/installed.json") ?? [];
        $development = self::map($installed['dev-package-names'] ?? null);
        $packages = [['name' => 'the project'] + $project];
        foreach (self::map($installed['packages'] ?? null) as $package) {
            $package = self::map($package);
            if (!in_array($package['name'] ?? null, $development, true)) {
                $packages[] = $package;
            }
        }

        $text = $script === null ? '' : ProjectText::of($script) ?? '';

        return new self(
            self::requirements($packages),
            is_file("$vendor/autoload.php") || (!self::hasPackages($project) && self::asks($text, $vendor)),
            str_contains($text, basename($vendor) . '/autoload'),
        );
    }

    /** @param array<array-key, mixed> $project */
    private static function hasPackages(array $project): bool
    {
        return preg_grep('~/~', array_map(strval(...), array_keys(self::map($project['require'] ?? null)))) !== [];
    }

    /** Whether a script loads packages only where somebody has installed some, as ProcessWire does for those of a site. */
    private static function asks(string $text, string $vendor): bool
    {
        $autoload = '[^;]*\b' . preg_quote(basename($vendor), '/') . '\/autoload';
        $looks = '\b(?:is_file|file_exists|is_readable)\s*\(';

        return preg_match("/$looks$autoload|(\\$\\w+)\\s*=$autoload.*$looks\\s*\\1\\b/s", $text) === 1;
    }

    /**
     * Without the extensions that a package stands in for, as symfony/polyfill-mbstring does.
     *
     * @param  list<array<array-key, mixed>> $packages
     * @return list<array{what: string, constraint: string, by: string}>
     */
    private static function requirements(array $packages): array
    {
        $required = [];
        $provided = [];
        foreach ($packages as $package) {
            $provided += self::map($package['provide'] ?? null) + self::map($package['replace'] ?? null);
            foreach (self::map($package['require'] ?? null) as $what => $constraint) {
                $what = strtolower((string) $what);
                if (is_string($constraint) && ($what === 'php' || str_starts_with($what, 'ext-'))) {
                    $by = is_string($package['name'] ?? null) ? $package['name'] : 'a package';
                    $required[] = ['what' => $what, 'constraint' => $constraint, 'by' => $by];
                }
            }
        }

        return array_values(array_filter($required, static fn (array $one): bool => !isset($provided[$one['what']])));
    }

    /** @return array<array-key, mixed>|null */
    private static function json(string $file): ?array
    {
        $text = ProjectText::of($file);
        $value = $text === null ? null : json_decode($text, true);

        return is_array($value) ? $value : null;
    }

    /** @return array<array-key, mixed> */
    private static function map(mixed $value): array
    {
        return is_array($value) ? $value : [];
    }
}
