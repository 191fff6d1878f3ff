<?php

declare(strict_types=1);

namespace Howdah\Runtime;

use Symfony\Component\HttpKernel\HttpKernelInterface;
use Symfony\Component\Runtime\RunnerInterface;
use Symfony\Component\Runtime\SymfonyRuntime;

/**
 * Symfony's own Runtime, but for how a kernel is run in a worker script. Elsewhere (consoles, classic mode, php-fpm) it is that
 * one.
 *
 * What is set is what Symfony's own runner for FrankenPHP reads (symfony/runtime 7.4, Runner/FrankenPhpWorkerRunner.php):
 * FRANKENPHP_LOOP_MAX or the option worker_loop_max, and FRANKENPHP_RESET_KERNEL.
 */
final class Runtime extends SymfonyRuntime
{
    /** A script that has served so many requests is started anew. */
    private const REQUESTS = 500;

    public function getRunner(?object $application): RunnerInterface
    {
        // Howdah says so as FrankenPHP does; what it has set may come from .env as well.
        if (!$application instanceof HttpKernelInterface || !isset($_SERVER['FRANKENPHP_WORKER'])) {
            return parent::getRunner($application);
        }
        $set = static fn (string $name): mixed => $_SERVER[$name] ?? $_ENV[$name] ?? null;

        return new Runner(
            $application,
            (int) ($this->options['worker_loop_max'] ?? $set('FRANKENPHP_LOOP_MAX') ?? self::REQUESTS),
            filter_var($set('FRANKENPHP_RESET_KERNEL') ?? false, FILTER_VALIDATE_BOOL),
        );
    }
}
