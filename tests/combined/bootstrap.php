<?php

declare(strict_types=1);

require __DIR__ . '/../http/bootstrap.php';

spl_autoload_register(static function (string $class): void {
    $prefix = 'Howdah\\Combined\\';
    if (str_starts_with($class, $prefix) && is_file($file = __DIR__ . '/' . substr($class, strlen($prefix)) . '.php')) {
        require $file;
    }
});
