<?php

// Whether the JIT is on, which kind, and how much it has compiled.

declare(strict_types=1);

$jit = opcache_get_status(false)['jit'];
$used = $jit['buffer_size'] - $jit['buffer_free'];
echo ($jit['on'] ? 'on' : 'off') . ' ' . ini_get('opcache.jit') . " {$used} bytes";
