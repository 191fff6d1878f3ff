<?php

/* What PHP runs with under Swoole. */

declare(strict_types=1);

require __DIR__ . '/server.php';

serve(static function (Swoole\Http\Request $request, Swoole\Http\Response $answer): void {
    ob_start();
    require dirname(__DIR__) . '/settings.php';
    $answer->header('Content-Type', 'application/json');
    $answer->end((string) ob_get_clean());
});
