<?php

// What needs hooks in PHP's library: others run while this one waits; folder, umask and environment are its own after that.

declare(strict_types=1);

$number = (int) $_GET['n'];
$folder = "{$_GET['folder']}/{$number}";
mkdir($folder);
chdir($folder);
umask($mask = 0100 + $number);
putenv("NUMBER={$number}");
for ($tries = 0, $here = []; $tries < 100 && count($here) < 2; ++$tries) {
    usleep(10_000);
    $here = glob("{$_GET['folder']}/*", GLOB_ONLYDIR) ?: [];
}
$is = [getcwd(), umask(), trim((string) shell_exec('echo $NUMBER')), count($here) > 1];
usleep(50_000);
chdir('/');
rmdir($folder);
echo $is === [$folder, $mask, (string) $number, true] ? 'own' : json_encode($is);
