<?php

declare(strict_types=1);

namespace Howdah\Cli\Framework;

use Howdah\Cli\ProjectText;

/**
 * Symfony 6.4 and later.
 *
 * The front controller of an application with symfony/runtime returns a closure, and a runner decides what becomes of it:
 *   1. howdah/runtime is ours, for those who want it in their project;
 *   2. symfony/runtime from 7.4 on has a runner for FrankenPHP, which public/index.php gets by itself;
 *   3. with an older symfony/runtime a script of ours brings a runner.
 * A front controller without the Runtime handles one request and ends: classic mode.
 *
 * Services that nobody wrote for a long life are new for each request (FRANKENPHP_RESET_KERNEL), unless the application says
 * otherwise. The first runners of symfony/runtime do not know that variable: they keep services, so nobody gets them unasked.
 */
final readonly class Symfony implements Framework
{
    private const OWN = 'vendor/howdah/runtime/src/Runtime.php';
    private const RUNNER = 'vendor/symfony/runtime/Runner/FrankenPhpWorkerRunner.php';
    private const RUNTIME = 'vendor/symfony/runtime/SymfonyRuntime.php';
    private const RESET = 'FRANKENPHP_RESET_KERNEL';

    public function __construct(private string $resources)
    {
    }

    public function name(): string
    {
        return 'Symfony';
    }

    public function isUsed(ProjectFiles $files): bool
    {
        return $files->requires('symfony/framework-bundle') || $files->has('bin/console', 'config/bundles.php');
    }

    public function offer(ProjectFiles $files, string $front, ?int $maxRequests): Offer
    {
        $runs = str_contains(ProjectText::of($front) ?? '', 'autoload_runtime.php');
        if (!$runs || !$files->has('vendor/autoload_runtime.php', self::RUNTIME)) {
            return Offer::none('Symfony without symfony/runtime');
        }
        $says = $files->variable(self::RESET);
        $environment = $says === null ? [self::RESET => '1'] : [];
        if ($maxRequests !== null) {
            $environment['FRANKENPHP_LOOP_MAX'] = (string) ($maxRequests === 0 ? -1 : $maxRequests);
        }
        if ($files->has(self::OWN)) {
            $environment += $this->runtime($files);

            return $this->unlessDevelopment($files, $front, 'the runner of howdah/runtime', $environment);
        }
        if ($files->has(self::RUNNER)) {
            $keeps = "Symfony's runner for FrankenPHP, which keeps services from request to request";

            $wantsReset = ($says ?? '') === '' || filter_var($says, FILTER_VALIDATE_BOOLEAN);

            return $wantsReset && !str_contains($files->text(self::RUNNER), self::RESET)
                ? Offer::onDemand($front, $keeps, $environment)
                : $this->unlessDevelopment($files, $front, "Symfony's runner for FrankenPHP", $environment);
        }

        return Offer::onDemand(
            "{$this->resources}/worker/symfony.php",
            'Symfony, whose symfony/runtime has no runner for FrankenPHP',
            $environment + ['HOWDAH_PROJECT' => $files->root, 'HOWDAH_FRONT' => $front],
        );
    }

    /** @param array<string, string> $environment */
    private function unlessDevelopment(ProjectFiles $files, string $front, string $runner, array $environment): Offer
    {
        return ($files->variable('APP_ENV') ?? 'dev') === 'dev'
            ? Offer::onDemand($front, 'Symfony with APP_ENV=dev, where a change of code shows at once', $environment)
            : Offer::safe($front, "Symfony with $runner", $environment);
    }

    /** @return array<string, string> the class of our package, unless the project names one */
    private function runtime(ProjectFiles $files): array
    {
        $isNamed = getenv('APP_RUNTIME') !== false || $files->extra('runtime', 'class') !== null;

        return $isNamed ? [] : ['APP_RUNTIME' => 'Howdah\\Runtime\\Runtime'];
    }
}
