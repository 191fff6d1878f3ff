<?php

// Two applications in one process. ?n=0 includes a file by a relative name, and its include path has a stream wrapper that
// waits while the file is looked for. Meanwhile
// ?n=1 asks for a file of that name, which it does not have: nor may it have it later.
// ?kind= is include or include_once.

declare(strict_types=1);

require_once __DIR__ . '/Together.php';

/** A place where no file is. */
final class Slow
{
    /** @var resource|null */
    public $context;

    /** @return false */
    public function url_stat(string $path, int $flags): array|false
    {
        Together::reach('0 looks');
        Together::await('1 has asked');

        return false;
    }
}

$application = Together::folder() . "/application-{$_GET['n']}";
$get = match ($_GET['kind']) {
    'include' => static fn (): mixed => include 'perhaps.php',
    'include_once' => static fn (): mixed => include_once 'perhaps.php',
};
error_reporting(E_ALL & ~E_WARNING);
if ($_GET['n'] === '0') {
    $file = Together::script('application-0/perhaps.php', 'return "of application 0";', true);
    opcache_compile_file($file);
    stream_wrapper_register('slow', Slow::class);
    set_include_path("slow://nowhere:{$application}");
    $got = $get();
    Together::reach('0 has it');
} else {
    set_include_path($application);
    Together::await('0 looks');
    $get();
    Together::reach('1 has asked');
    Together::await('0 has it');
    $got = $get();
}
echo "application {$_GET['n']} got ", json_encode($got);
