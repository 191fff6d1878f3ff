<?php

// Every fourth request recurses through C code with frames of 16 bytes more than the one before; the others wait meanwhile.

declare(strict_types=1);

if (!function_exists('deeper')) {
    function deeper(): void
    {
        frames_call($GLOBALS['bytes'], 'deeper');
    }
}

echo 'ok';
if ($_GET['n'] % 4 !== 0) {
    usleep(3000);
    return;
}
$GLOBALS['bytes'] = 16 * (1 + intdiv((int) $_GET['n'], 4));
if (($_GET['in'] ?? '') === 'fiber') {
    (new Fiber('deeper'))->start();
}
deeper();
