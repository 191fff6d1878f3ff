<?php

declare(strict_types=1);

require __DIR__ . '/../tools/vendor/autoload.php';

spl_autoload_register(static function (string $class): void {
    $folders = [
        'Howdah\\Tests\\Differential\\Cases\\' => __DIR__ . '/cases/',
        'Howdah\\Tests\\Differential\\' => __DIR__ . '/',
        'Howdah\\Tests\\Phpt\\' => __DIR__ . '/../phpt/',
        'Howdah\\WaitingTests\\' => __DIR__ . '/../waiting/',
    ];
    foreach ($folders as $prefix => $folder) {
        if (str_starts_with($class, $prefix) && is_file($file = $folder . substr($class, strlen($prefix)) . '.php')) {
            require $file;

            return;
        }
    }
});
