<?php

declare(strict_types=1);

require __DIR__ . '/../../cli/vendor/autoload.php';
require __DIR__ . '/../tools/vendor/autoload.php';
require __DIR__ . '/../../bench/autoload.php';

spl_autoload_register(static function (string $class): void {
    $prefix = 'Howdah\\BenchTests\\';
    if (str_starts_with($class, $prefix)) {
        require __DIR__ . '/' . substr($class, strlen($prefix)) . '.php';
    }
});
