<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

use RuntimeException;

/** The libraries of composer.json. */
final class Libraries
{
    public static function load(): void
    {
        $file = __DIR__ . '/vendor/autoload.php';
        if (!is_file($file)) {
            throw new RuntimeException('the libraries are missing: make tests/waiting/app/vendor/autoload.php');
        }
        require_once $file;
    }
}
