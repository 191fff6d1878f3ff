<?php

declare(strict_types=1);

require __DIR__ . '/../vendor/autoload.php';
require __DIR__ . '/../../tests/tools/vendor/autoload.php';

spl_autoload_register(static function (string $class): void {
    $prefix = 'Howdah\\Cli\\Tests\\';
    if (str_starts_with($class, $prefix)) {
        require __DIR__ . '/' . substr($class, strlen($prefix)) . '.php';
    }
});
