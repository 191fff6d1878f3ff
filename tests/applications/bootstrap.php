<?php

declare(strict_types=1);

require dirname(__DIR__) . '/http/bootstrap.php';

spl_autoload_register(static function (string $class): void {
    $folders = ['Howdah\\ApplicationTests\\' => __DIR__, 'Howdah\\WaitingTests\\' => dirname(__DIR__) . '/waiting'];
    foreach ($folders as $prefix => $folder) {
        $file = $folder . '/' . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
        if (str_starts_with($class, $prefix) && is_file($file)) {
            require $file;
        }
    }
});
