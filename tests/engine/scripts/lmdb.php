<?php

// Opens one of two files of the stand-in for LMDB (tests/engine/extension/lmdb.c), a few times.

declare(strict_types=1);

$number = (int) $_GET['n'] % 2;
chdir($_GET['folder']);
for ($times = 0, $errors = []; $times < 3; ++$times) {
    $errors[] = lmdb_hold($times === 1 ? "./file{$number}" : "{$_GET['folder']}/file{$number}", 5);
}
echo json_encode($errors), ' ', lmdb_files_at_once() > 1 ? 'both' : 'one', "\n";
