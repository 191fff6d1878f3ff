<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

/** For scripts that are served: waits at the test's door (Door.php) until the test opens it. Nobody waits where there is none. */
function waitAtDoor(string $path): void
{
    $door = $path === '' ? false : @stream_socket_client("unix://$path");
    if ($door !== false) {
        stream_set_timeout($door, 600);
        fwrite($door, getmypid() . "\n");
        fgets($door);
    }
}

/** Computes, in PHP code, until the test opens its door. */
function computeAtDoor(string $path): void
{
    $door = @stream_socket_client("unix://$path");
    do {
        for ($i = 0; $i < 10_000; $i++) {
        }
        clearstatcache();
    } while ($door !== false && file_exists($path));
}

/**
 * Is in one call of C, that nobody parks and nothing interrupts, until the test pulls the cork (Cork.php): no other realm runs,
 * and nginx hears of nobody.
 */
function stickAtCork(string $path): void
{
    // Of the C library itself: what stands in its place in PHP is for calls that PHP makes.
    $libc = \FFI::cdef('int open(const char *path, int flags);', 'libc.so.6');
    $door = stream_socket_client("unix://$path");
    assert($door !== false);
    $libc->open("$path.fifo", 0); // @phpstan-ignore method.notFound (FFI has the methods that cdef() names)
}
