<?php

declare(strict_types=1);

require dirname(__DIR__) . '/http/bootstrap.php';
require dirname(__DIR__, 2) . '/cli/src/Jit.php';

spl_autoload_register(static function (string $class): void {
    $folders = ['ApplicationTests' => 'applications', 'SessionTests' => 'sessions', 'ClientTests' => 'clients',
        'WaitingTests' => 'waiting'];
    foreach ($folders as $name => $folder) {
        $prefix = "Howdah\\$name\\";
        $file = dirname(__DIR__) . "/$folder/" . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
        if (str_starts_with($class, $prefix) && is_file($file)) {
            require $file;
        }
    }
});
