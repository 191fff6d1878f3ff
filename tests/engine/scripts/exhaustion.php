<?php

/** Exhausts memory where PHP would end its process: in C code whose allocations cannot fail. */

declare(strict_types=1);

$work = static function (): void {
    usleep(50_000);
    switch ($_GET['do'] ?? '') {
        case 'peak':
            // 10 MB beside 20: in all less than twice the limit of 24 MB.
            register_shutdown_function(static fn () => print 'peak ' . memory_get_peak_usage() . ' ');
            $text = str_repeat('x', 20 << 20);
            echo strlen(bin2hex(substr($text, 0, 5 << 20)));
            break;
        case 'overflow':
            $php = FFI::cdef('void *_safe_emalloc(size_t count, size_t size, size_t more);');
            $php->_safe_emalloc(PHP_INT_MAX, 16, 1);
            break;
        case 'machine':
            $hog = [];
            while ((int) $_GET['n'] % 3 === 0) {
                $hog[] = str_repeat('x', 1 << 20);
            }
            break;
        case 'size':
            preg_match('/^VmPeak:\s+(\d+) kB/m', (string) file_get_contents('/proc/self/status'), $size);
            echo "size=$size[1] ";
    }
    usleep(50_000);
    echo 'alive';
};

if (isset($_SERVER['FRANKENPHP_WORKER'])) {
    while (frankenphp_handle_request($work)) {
        gc_collect_cycles();
    }
} else {
    $work();
}
