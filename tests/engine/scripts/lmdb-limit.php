<?php

// One request keeps a file of the stand-in for LMDB open for longer than another one waits for it, which then asks again.

declare(strict_types=1);

$file = "{$_GET['folder']}/file0";
if ($_GET['n'] === '0') {
    touch("{$_GET['folder']}/begun");
    echo 'kept ', lmdb_hold($file, 6500), "\n";
} else {
    for (; !is_file("{$_GET['folder']}/begun"); clearstatcache()) {
        usleep(1000);
    }
    $begin = hrtime(true);
    $refused = lmdb_hold($file, 0);
    printf("refused %d after %d s\n", $refused, (hrtime(true) - $begin) / 1e9);
    printf("then %d after %d s\n", lmdb_hold($file, 0), (hrtime(true) - $begin) / 1e9);
}
