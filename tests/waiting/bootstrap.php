<?php

declare(strict_types=1);

require dirname(__DIR__) . '/http/bootstrap.php';
require __DIR__ . '/app/autoload.php';

spl_autoload_register(static function (string $class): void {
    $prefix = 'Howdah\\WaitingTests\\';
    $file = __DIR__ . '/' . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
    if (str_starts_with($class, $prefix) && is_file($file)) {
        require $file;
    }
});

Howdah\WaitingTests\Resolver::separate();
