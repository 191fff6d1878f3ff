<?php

/* HttpArena's endpoints on Swoole. */

declare(strict_types=1);

$name = 'HttpArena';
require __DIR__ . '/entry.php';
