<?php

/** Tells its number in a file when it begins, and again when it has waited in C code of build/extension/lazy.so. */

declare(strict_types=1);

$tell = static fn (): int|false => file_put_contents($_GET['file'], "{$_GET['n']}\n", FILE_APPEND);

$tell();
echo lazy_wait(100), ' ';
$tell();
echo lazy_wait(1), "\n";
