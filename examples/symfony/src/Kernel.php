<?php

declare(strict_types=1);

namespace App;

use Symfony\Bundle\FrameworkBundle\Kernel\MicroKernelTrait;
use Symfony\Component\ErrorHandler\Debug;
use Symfony\Component\HttpKernel\Kernel as BaseKernel;

final class Kernel extends BaseKernel
{
    use MicroKernelTrait;

    /**
     * What symfony/runtime does, for one setting.
     */
    public static function fromEnvironment(): self
    {
        $environment = $_SERVER['APP_ENV'] ?? $_ENV['APP_ENV'] ?? 'prod';
        $debug = $environment !== 'prod';
        if ($debug) {
            umask(0000);
            Debug::enable();
        }

        return new self($environment, $debug);
    }
}
