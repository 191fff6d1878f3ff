<?php

/** The second request ends the process from within a library, while its neighbours wait. */

declare(strict_types=1);

$ends = $_SERVER['HTTP_X_WAY'] !== 'child';
if ($_GET['n'] === '1') {
    while ($ends && Howdah\status()['busy'] < 3) {
        usleep(5_000);
    }
    for ($turn = 0; $turn < 20; ++$turn) {
        usleep(2_500); // and each of them has gone on until it waits
    }
    $library = FFI::cdef('int end_process(const char *way, int status);', $_SERVER['HTTP_X_LIBRARY']);
    echo 'status ', $library->end_process($_SERVER['HTTP_X_WAY'], (int) $_SERVER['HTTP_X_STATUS']), ' ';
}
usleep($ends ? 60_000_000 : 100_000);
echo 'alive';
