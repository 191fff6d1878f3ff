<?php

/** Ways to take the worker along. Each is named in CrashTest. */

declare(strict_types=1);

namespace Howdah\HttpTests\Dying;

use FFI;
use Fiber;

function signal_segv(): void
{
    posix_kill(getmypid(), 11);
}

function signal_bus(): void
{
    posix_kill(getmypid(), 7);
}

function signal_fpe(): void
{
    posix_kill(getmypid(), 8);
}

function signal_ill(): void
{
    posix_kill(getmypid(), 4);
}

function signal_abrt(): void
{
    posix_kill(getmypid(), 6);
}

function signal_kill(): void
{
    posix_kill(getmypid(), 9);
}

function libc(string $declarations): FFI
{
    return FFI::cdef($declarations, 'libc.so.6');
}

function bad_pointer(): void
{
    libc('void *memset(void *, int, size_t);')->memset(FFI::cast('void *', 16), 1, 4);
}

function bad_pointer_in_fiber(): void
{
    (new Fiber(bad_pointer(...)))->start();
}

function division(): void
{
    libc('int div(int a, int b);')->div(1, 0);
}

function abort(): void
{
    libc('void abort(void);')->abort();
}

function double_free(): void
{
    $libc = libc('void *malloc(size_t); void free(void *);');
    $block = $libc->malloc(5000);
    $libc->free($block);
    $libc->free($block);
}

/** The file behind a mapping is gone. */
function bus_error(): void
{
    $path = tempnam(sys_get_temp_dir(), 'map');
    file_put_contents($path, str_repeat('x', 8192));
    $libc = libc('char *mmap(void *, size_t, int, int, int, long); int open(const char *, int);');
    $mapping = $libc->mmap(null, 8192, 3, 1, $libc->open($path, 2), 0);
    file_put_contents($path, '');
    unlink($path);
    echo $mapping[100];
}

/** PHP's own globals are overwritten, and with them what a report would like to read. */
function smashed_globals(): void
{
    $php = FFI::cdef('extern char executor_globals[];');
    libc('void *memset(void *, int, size_t);')->memset(FFI::addr($php->executor_globals), 0x41, 1700);
    usleep(1);
}

/** A library recurses, and knows nothing of PHP. */
function dive(): void
{
    FFI::cdef('int dive(unsigned long bytes);', dirname(__DIR__, 4) . '/build/calls.so')->dive(1 << 30);
}

function dive_in_fiber(): void
{
    (new Fiber(dive(...)))->start();
}

function exit_0(): void
{
    libc('void exit(int);')->exit(0);
}

function exit_2(): void
{
    libc('void exit(int);')->exit(2);
}
