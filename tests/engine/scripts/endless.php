<?php

declare(strict_types=1);

/** Never ends, in one of five ways (n), deep inside calls from C code, with objects whose destructors wait. */

final class Slow
{
    public function __destruct()
    {
        usleep(1000);
    }
}

function deep(int $levels, int $way): void
{
    $here = new Slow();
    match (true) {
        $levels > 0 => deep($levels - 1, $way),
        $way === 0 => sleep(30),
        $way === 1 => readForEver(),
        $way === 2 => spin(),
        $way === 3 => generate(),
        default => suspend(),
    };
}

function readForEver(): never
{
    [$end] = $both = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0) ?: exit('no socket');
    while (true) {
        fread($end, 1);
    }
}

function spin(): never
{
    for ($i = 0; true; ++$i) {
    }
}

function generate(): void
{
    $numbers = (static function () {
        for ($i = 0; true; ++$i) {
            usleep(3000);
            yield $i;
        }
    })();
    foreach ($numbers as $number) {
    }
}

function suspend(): never
{
    $fiber = new Fiber(static function (): void {
        $here = new Slow();
        Fiber::suspend();
        sleep(30);
    });
    $fiber->start();
    while (true) {
        $fiber->resume();
    }
}

register_shutdown_function(static fn () => usleep(2000));
$here = new Slow();
$memory = str_repeat('x', 100_000);
echo 'a part of an answer';
array_map(static fn (int $levels) => deep($levels, (int) $_GET['n'] % 5), [3]);
