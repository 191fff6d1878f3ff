<?php

declare(strict_types=1);

namespace Howdah\HttpTests\Pool;

use FFI;
use Fiber;
use RuntimeException;

use function Howdah\HttpTests\waitAtDoor;

echo odd(string('kind'));

/** Waits at the door of the query below frames of an odd kind, for TopTest. In the application of tests/http/pool. */
function odd(string $kind): string
{
    $wait = static fn () => waitAtDoor(string('at'));
    match ($kind) {
        'closures' => array_map(static fn () => (static fn () => $wait())(), [1]),
        'bytes' => inFileOf("a\x01\xff\"\\b", $wait),
        'generators' => iterator_to_array((static function () use ($wait) {
            yield from (static function () use ($wait) {
                yield $wait();
            })();
        })()),
        'fibers' => (new Fiber(static fn () => (new Fiber($wait))->start()))->start(),
        'deep' => deep(10_000, $wait),
        'unreadable' => unreadable($wait),
        default => throw new RuntimeException("$kind is no kind of frame"),
    };

    return 'opened';
}

/** A function with such a name, in a file with such a name, in code that is evaluated there. */
function inFileOf(string $name, callable $wait): void
{
    $file = sys_get_temp_dir() . '/' . getmypid() . "$name.php";
    $code = 'function odd\xff(callable \$wait): void { \$wait(); } odd\xff(\$wait);';
    file_put_contents($file, "<?php return static fn (\$wait) => eval(\"$code\");");
    try {
        (require $file)($wait);
    } finally {
        unlink($file);
    }
}

function deep(int $calls, callable $wait): void
{
    $calls > 0 ? deep($calls - 1, $wait) : $wait();
}

/** The name of its file cannot be read to its end: as of a function that was freed. */
function unreadable(callable $wait): void
{
    $php = FFI::cdef('
        typedef struct { uint32_t count, kind; uint64_t hash, len; char text[1]; } name;
        name *zend_get_executed_filename_ex(void);
        name **zend_fetch_function_str(const char *function, size_t len);
        char *mmap(void *at, size_t bytes, int protection, int flags, int fd, long offset);
        int mprotect(void *at, size_t bytes, int protection);
    ');
    eval('function unreadable($php, $change, $wait) { $change($php->zend_get_executed_filename_ex()); $wait(); $change(); }');
    $place = null;
    $change = static function (?FFI\CData $file = null) use ($php, &$place): void {
        static $words, $at;
        if ($file === null) {
            $words[$at] = $place;

            return;
        }
        // The last 40 bytes of a page: a name of 100 bytes begins there, and the next page may not be read.
        $page = $php->mmap(null, 8192, 3, 0x22, -1, 0);
        $php->mprotect($page + 4096, 4096, 0);
        $name = $php->cast('name *', $page + 4056);
        $name->count = 1000;
        $name->len = 100;
        FFI::memset($page + 4080, 120, 16);
        $words = $php->zend_fetch_function_str('unreadable', 10);
        for ($at = 0; $words[$at] != $file; $at++) {
        }
        $place = $file;
        $words[$at] = $name;
    };
    \unreadable($php, $change, $wait);
}
