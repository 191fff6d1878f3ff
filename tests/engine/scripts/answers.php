<?php

// Sets what SQLite has for all connections: by a pragma, or behind everybody's back.

declare(strict_types=1);

if (($_GET['by'] ?? '') === 'pragma') {
    $database = new PDO('sqlite::memory:');
    $database->exec('PRAGMA soft_heap_limit = 1000000000');
    usleep(500);
} else {
    FFI::cdef('int64_t sqlite3_soft_heap_limit64(int64_t);', 'libsqlite3.so.0')->sqlite3_soft_heap_limit64(1_000_000_000);
}
echo 'done';
