<?php

// A script that ends with a compile error, and waits at its end, for ?ms= milliseconds.

declare(strict_types=1);

register_shutdown_function(static function (): void {
    usleep((int) $_GET['ms'] * 1000);
    echo 'done';
});
$file = (string) tempnam(sys_get_temp_dir(), 'howdah-broken-');
file_put_contents($file, '<?php class Broken { abstract function f(); }');
register_shutdown_function(unlink(...), $file);
require $file;
