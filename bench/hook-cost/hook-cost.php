<?php

// What a hook costs on a descriptor that is ready, as JSON: run by bench/hook-cost/run in a realm.

declare(strict_types=1);

echo FFI::cdef('const char *measure(void);', $_SERVER['HTTP_X_LIBRARY'])->measure(), "\n";
