<?php

// Compiles a function so large that ?megabytes= are not enough for it, and then runs code that was compiled before.

declare(strict_types=1);

function before(int $turns): int
{
    $sum = 0;
    for ($i = 0; $i < $turns; ++$i) {
        $sum += $i;
    }

    return $sum;
}

$file = sys_get_temp_dir() . '/howdah-jit-' . getmypid() . '.php';
$lines = '';
for ($i = 0; $i < 6000; ++$i) {
    $next = $i + 2;
    $lines .= "if (\$a % {$next} === 0) { \$a = \$a + {$i}; \$x[] = \$a; } else { \$a = \$a * 3 % 1000003 + count(\$x); }\n";
}
file_put_contents($file, "<?php\nfunction large(int \$a): int {\n\$x = [];\n{$lines}return \$a;\n}\n");
unset($lines);
register_shutdown_function(static function () use ($file): void {
    unlink($file);
    echo 'end ', before(1000);
});
before(10);
ini_set('memory_limit', $_GET['megabytes'] . 'M');
require $file;
echo large(5) > 0 ? 'large ' : '';
