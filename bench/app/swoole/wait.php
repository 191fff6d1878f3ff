<?php

/* One line of text on Swoole, after a wait of 10 ms: each request is a coroutine. */

declare(strict_types=1);

require __DIR__ . '/server.php';

serve(static function (Swoole\Http\Request $request, Swoole\Http\Response $answer): void {
    Swoole\Coroutine::sleep(0.01);
    $answer->header('Content-Type', 'text/plain; charset=utf-8');
    $answer->end("Hello, World!\n");
}, coroutines: true);
