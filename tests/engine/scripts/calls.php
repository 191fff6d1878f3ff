<?php

// Runs ?call= of tests/engine/calls. Also by php-cli, where nothing is hooked: php calls.php CALL LIBRARY.

declare(strict_types=1);

$name = $_GET['call'] ?? $argv[1];
$library = $_SERVER['HTTP_X_LIBRARY'] ?? $argv[2];
$calls = FFI::cdef('const char *run(const char *name);', $library);
$start = hrtime(true);
$wrong = $calls->run($name);
echo $wrong ?? 'done', isset($_GET['when']) ? sprintf(" %d %d\n", $start, hrtime(true)) : '';
