<?php

// Requests that fill opcache's memory with versions of files, so that it restarts by itself, while others are in the middle
// of code that lies there. "restarts" in the folder tells how often it did.

declare(strict_types=1);

$folder = sys_get_temp_dir() . '/howdah-reset-' . getmypid();
$number = (int) $_GET['n'];
$which = $number * 7919 % 40;
$file = "{$folder}/code{$which}.php";
if (!is_file($file) || $number % 3 === 0) {
    @mkdir($folder);
    $lines = str_repeat("    \$text = md5(\$text . {$number});\n    if (\$text === '') { usleep(1); }\n", 100);
    $more = '';
    for ($i = 0; $i < 200; ++$i) {
        $more .= "    if (\$text === '{$number}.{$i}') { return 'never {$i}'; }\n";
    }
    $code = "<?php\nreturn static function (int \$us): array {\n    \$text = 'start';\n    usleep(\$us);\n{$lines}"
        . "    usleep(1500);\n{$more}    return [{$number}, \$text];\n};\n";
    file_put_contents("{$file}.{$number}", $code);
    touch("{$file}.{$number}", 1_000_000_000 + $number); // each version is another one
    rename("{$file}.{$number}", $file);
}
[$version, $text] = (require $file)($number % 50 === 7 ? 1_000_000 : 1500); // in a second all memory is written over
$expected = 'start';
for ($i = 0; $i < 100; ++$i) {
    $expected = md5($expected . $version);
}
$restarts = opcache_get_status(false)['opcache_statistics']['oom_restarts'];
if ($restarts > 0) {
    file_put_contents("{$folder}/restarts", (string) $restarts);
}
echo $text === $expected ? 'ok' : 'wrong code ran';
