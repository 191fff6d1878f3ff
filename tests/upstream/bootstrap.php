<?php

declare(strict_types=1);

// Servers, and ports for them.
require __DIR__ . '/../http/bootstrap.php';

spl_autoload_register(static function (string $class): void {
    $prefix = 'Howdah\\Tests\\Upstream\\';
    if (str_starts_with($class, $prefix)) {
        $path = str_replace(['\\', 'Subjects/'], ['/', 'subjects/'], substr($class, strlen($prefix)));
        if (is_file(__DIR__ . "/$path.php")) {
            require __DIR__ . "/$path.php";
        }
    }
});
