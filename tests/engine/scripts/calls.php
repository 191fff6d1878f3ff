<?php

// Runs ?call= of tests/engine/calls; of several (A,B), ?each= requests run one, the next ones the next. Also by php-cli, where
// nothing is hooked: php calls.php CALL LIBRARY.

declare(strict_types=1);

$names = explode(',', $_GET['call'] ?? $argv[1]);
$name = $names[intdiv((int) ($_GET['n'] ?? 0), (int) ($_GET['each'] ?? 1)) % count($names)];
$library = $_SERVER['HTTP_X_LIBRARY'] ?? $argv[2];
$calls = FFI::cdef('const char *run(const char *name);', $library);
$start = hrtime(true);
$wrong = $calls->run($name);
echo $wrong ?? 'done', isset($_GET['when']) ? sprintf(" %d %d\n", $start, hrtime(true)) : '';
