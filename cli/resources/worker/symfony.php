<?php

/**
 * Worker mode for Symfony with a symfony/runtime that has no runner for FrankenPHP (before 7.4): the front controller is left
 * as it
 * is, and its kernel gets the runner of packages/runtime (symfony/ leads there), which asks for one request after another.
 *
 * HOWDAH_PROJECT is the project's folder, HOWDAH_FRONT its front controller.
 */

declare(strict_types=1);

use Howdah\Runtime\Runtime;

(static function (): void {
    $project = (string) getenv('HOWDAH_PROJECT');
    $front = (string) getenv('HOWDAH_FRONT');
    if (!is_file("$project/vendor/autoload_runtime.php") || !is_file($front)) {
        error_log("howdah: HOWDAH_PROJECT=$project has no symfony/runtime: start it with `howdah serve`");
        exit(1);
    }
    // Loaded when they are asked for: the classes that they extend are the application's.
    foreach (['Runtime', 'Runner'] as $class) {
        $file = __DIR__ . "/symfony/$class.php";
        spl_autoload_register(static function (string $name) use ($class, $file): void {
            if ($name === "Howdah\\Runtime\\$class") {
                require $file;
            }
        });
    }
    $_SERVER['APP_RUNTIME'] ??= Runtime::class;
    $_SERVER['SCRIPT_FILENAME'] = $front;
    $_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/index.php';
    chdir(dirname($front));
    require $front;
})();
