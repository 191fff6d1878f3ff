<?php

declare(strict_types=1);

namespace Howdah\Cli\Framework;

/** CodeIgniter 4. From 4.7 on `php spark worker:install` writes public/frankenphp-worker.php, which is found as any other. */
final readonly class CodeIgniter implements Framework
{
    /** Of the framework itself, by Composer or in a project that was unpacked. */
    private const INSTALLERS = ['vendor/codeigniter4/framework/system/Commands/Worker', 'system/Commands/Worker'];

    public function name(): string
    {
        return 'CodeIgniter';
    }

    public function isUsed(ProjectFiles $files): bool
    {
        return $files->requires('codeigniter4/framework') || $files->has('spark', 'app/Config/Paths.php');
    }

    public function offer(ProjectFiles $files, string $front, ?int $maxRequests): Offer
    {
        foreach (self::INSTALLERS as $folder) {
            if ($files->has($folder)) {
                return Offer::none('CodeIgniter without a worker script: `php spark worker:install` writes one');
            }
        }

        return Offer::none('CodeIgniter, which has worker scripts from 4.7 on');
    }
}
