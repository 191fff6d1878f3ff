<?php

declare(strict_types=1);

require __DIR__ . '/../tools/vendor/autoload.php';

spl_autoload_register(static function (string $class): void {
    $prefix = 'Howdah\\HttpTests\\';
    if (str_starts_with($class, $prefix)) {
        require __DIR__ . '/' . substr($class, strlen($prefix)) . '.php';
    }
});
