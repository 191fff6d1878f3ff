<?php

/**
 * Requests that come first only wait: their realms are there before libgrpc is. The others use it, one after the other.
 */

declare(strict_types=1);

use Howdah\WaitingTests\App\Ffi\Grpc;

require_once __DIR__ . '/../../waiting/app/Ffi/Grpc.php';

(static function (): void {
    if ((int) ($_GET['n'] ?? 0) < 8) {
        usleep(200_000);

        return;
    }
    // abseil takes two realms that wait for one of its locks for one thread that waits twice.
    $turn = fopen(__FILE__, 'r');
    flock($turn, LOCK_EX);
    $library = new Grpc('127.0.0.1:1');
    $library->connect(0.05);
    $library->next(0.1);
    unset($library);
})();
echo 'done';
