<?php

declare(strict_types=1);

namespace Howdah\Cli\Framework;

/**
 * Laravel 11 and later.
 *
 * Octane brings a worker script for FrankenPHP, and who installs Octane has an application in mind that outlives a request.
 * Without it a script of ours does between requests what Octane does; but nobody has looked whether the application keeps
 * something in static properties, so it is taken where it is asked for.
 */
final readonly class Laravel implements Framework
{
    private const OCTANE = 'vendor/laravel/octane/bin/frankenphp-worker.php';

    /** octane:start's own number, where --max-requests says none. */
    private const OCTANE_REQUESTS = 500;

    public function __construct(private string $resources)
    {
    }

    public function name(): string
    {
        return 'Laravel';
    }

    public function isUsed(ProjectFiles $files): bool
    {
        return $files->requires('laravel/framework') || $files->has('artisan', 'bootstrap/app.php');
    }

    public function offer(ProjectFiles $files, string $front, ?int $maxRequests): Offer
    {
        if (!$files->has('vendor/autoload.php', 'bootstrap/app.php')) {
            return Offer::none('Laravel without its packages: `composer install`');
        }

        return $files->has(self::OCTANE)
            ? Offer::safe(
                "{$files->root}/" . self::OCTANE,
                "Laravel with Octane's worker script for FrankenPHP",
                $this->octane($files, dirname($front), $maxRequests),
            )
            : Offer::onDemand(
                "{$this->resources}/worker/laravel.php",
                'Laravel without Octane, which nobody has said outlives a request',
                ['HOWDAH_PROJECT' => $files->root],
            );
    }

    /**
     * What octane:start sets (Laravel\Octane\Commands\StartFrankenPhpCommand), but for what is Caddy's. APP_ENV is left to
     * .env.
     *
     * @return array<string, string>
     */
    private function octane(ProjectFiles $files, string $docroot, ?int $maxRequests): array
    {
        $requests = $maxRequests ?? self::OCTANE_REQUESTS;

        return [
            'APP_BASE_PATH' => $files->root,
            'APP_PUBLIC_PATH' => $docroot,
            'LARAVEL_OCTANE' => '1',
            'MAX_REQUESTS' => (string) ($requests === 0 ? PHP_INT_MAX : $requests),
            'REQUEST_MAX_EXECUTION_TIME' => $this->maxExecutionTime($files),
        ];
    }

    /** Octane's own setting, where it is a plain number. Its default, 30 seconds, is of computing: waiting does not count. */
    private function maxExecutionTime(ProjectFiles $files): string
    {
        $setting = "/'max_execution_time'\\s*=>\\s*(?<seconds>\\d+)/";

        return preg_match($setting, $files->text('config/octane.php'), $match) === 1 ? $match['seconds'] : '30';
    }
}
