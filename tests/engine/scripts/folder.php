<?php

// Each request in a folder and with a umask of its own.

declare(strict_types=1);

$number = (int) $_GET['n'];
$folder = sys_get_temp_dir() . '/howdah-folder-' . $number % 7;
@mkdir($folder);
$first = getcwd();
chdir($folder);
$mask = [022, 027, 077][$number % 3];
umask($mask);
usleep(500);
$right = getcwd() === realpath($folder) && umask() === $mask;
usleep(500);
$name = 'file-' . getmypid() . "-{$number}"; // another process may run the same script
file_put_contents($name, 'x');
$right = $right && is_file("{$folder}/{$name}") && (fileperms("{$folder}/{$name}") & 0777) === (0666 & ~$mask);
unlink("{$folder}/{$name}");
echo $right && $first === __DIR__ ? 'own' : "wrong: began in {$first}, ended in " . getcwd();
