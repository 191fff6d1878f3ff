<?php

/* Classes of this folder: Howdah\Bench\Suite\Speed is src/Suite/Speed.php. */

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    $prefix = 'Howdah\\Bench\\';
    $file = __DIR__ . '/src/' . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
    if (str_starts_with($class, $prefix) && is_file($file)) {
        require $file;
    }
});
