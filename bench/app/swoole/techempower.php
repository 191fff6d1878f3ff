<?php

/* TechEmpower's tests on Swoole. */

declare(strict_types=1);

$name = 'TechEmpower';
require __DIR__ . '/entry.php';
