<?php

/* One line of text on Swoole. */

declare(strict_types=1);

require __DIR__ . '/server.php';

serve(static function (Swoole\Http\Request $request, Swoole\Http\Response $answer): void {
    $answer->header('Content-Type', 'text/plain; charset=utf-8');
    $answer->end("Hello, World!\n");
});
