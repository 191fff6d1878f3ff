<?php

// Requests that reset opcache while others are in the middle of code that lies in its memory. Each request runs one of many
// generated files, so that a cache that was wiped is written over at once.

declare(strict_types=1);

$folder = sys_get_temp_dir() . '/howdah-reset-' . getmypid();
$number = (int) $_GET['n'];
if ($number % 10 === 3) {
    opcache_reset();
}
$which = $number * 7919 % 40;
$file = "{$folder}/code{$which}.php";
if (!is_file($file)) {
    @mkdir($folder);
    $lines = '';
    for ($i = 0; $i < 100; ++$i) {
        $lines .= "    \$text .= 'part{$i} of {$which},';\n    if (\$text === '') { usleep(1); }\n";
    }
    $code = "<?php\nreturn static function (): string {\n    \$text = '';\n    usleep(1500);\n{$lines}    usleep(1500);\n"
        . "    return md5(\$text . json_encode(['which' => {$which}]));\n};\n";
    file_put_contents("{$file}.{$number}", $code);
    rename("{$file}.{$number}", $file);
}
$text = '';
for ($i = 0; $i < 100; ++$i) {
    $text .= "part{$i} of {$which},";
}
echo (require $file)() === md5($text . json_encode(['which' => $which])) ? 'ok' : 'wrong code ran';
