<?php

// Each request compiles a file, and says how many pages it has touched for the first time meanwhile.

$file = sys_get_temp_dir() . '/howdah-compiles-' . getmypid() . '.php';
file_put_contents($file, '<?php return "compiled";');
while (
    frankenphp_handle_request(static function () use ($file): void {
        opcache_invalidate($file, true);
        $before = getrusage()['ru_minflt'];
        echo include $file, ' with ', getrusage()['ru_minflt'] - $before, "\n";
    })
) {
}
unlink($file);
