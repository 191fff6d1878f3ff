<?php

// Every other request turns the JIT off for itself, and waits.

declare(strict_types=1);

$mine = (int) $_GET['n'] % 2 === 0;
if (!$mine) {
    ini_set('opcache.jit', 'off');
}
usleep(2000);
$status = opcache_get_status(false);
echo ($status['jit']['on'] ?? null) === $mine ? 'own' : 'of another';
