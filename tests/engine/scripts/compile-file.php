<?php

/** Waits in an error handler that runs inside opcache_compile_file(), and tells whether its realm was parked there. */

declare(strict_types=1);

$file = sys_get_temp_dir() . '/howdah-reset-compile-' . getmypid() . '-' . $_GET['n'] . '.php';
file_put_contents($file, '<?php function optional' . $_GET['n'] . '($first = 1, $second) {}');
$inside = [];
set_error_handler(static function () use (&$inside): bool {
    $before = Howdah\status()['switches'];
    usleep(2000);
    $inside[] = Howdah\status()['switches'] === $before;

    return true;
});
$compiled = opcache_compile_file($file);
unlink($file);
echo $compiled && $inside === [true] ? 'kept' : json_encode([$compiled, $inside]);
