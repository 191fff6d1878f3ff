<?php

// One request keeps a file of the stand-in for LMDB open for longer than another one waits for it, which then asks again.

declare(strict_types=1);

$file = "{$_GET['folder']}/file0";
if ($_GET['n'] === '0') {
    touch("{$_GET['folder']}/begun");
    echo 'kept ', lmdb_hold($file, 9000), "\n";
} else {
    for (; !is_file("{$_GET['folder']}/begun"); clearstatcache()) {
        usleep(1000);
    }
    $begin = hrtime(true);
    $refused = lmdb_hold($file, 0);
    printf("refused %d after %.3f s\n", $refused, (hrtime(true) - $begin) / 1e9);
    while (($then = lmdb_hold($file, 0)) === $refused) {
    }
    echo "then {$then}\n";
}
