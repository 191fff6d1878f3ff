<?php

// Asks for a kind of JIT that loses variables.

declare(strict_types=1);

$before = opcache_get_status(false)['jit']['opt_flags'] ?? null;
echo json_encode(ini_set('opcache.jit', 'function')), ' ';
echo $before === opcache_get_status(false)['jit']['opt_flags'] ? 'kept' : 'changed';
