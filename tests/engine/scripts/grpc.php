<?php

/**
 * Requests that come first only wait: their realms are there before libgrpc is. The others use it, one after the other and at once.
 */

declare(strict_types=1);

use Howdah\WaitingTests\App\Ffi\Grpc;

require_once __DIR__ . '/../../waiting/app/Ffi/Grpc.php';

if ((int) ($_GET['n'] ?? 0) < 8) {
    usleep(200_000);
} else {
    $library = new Grpc('127.0.0.1:1');
    $library->connect(0.05);
    $library->next(0.1);
}
echo 'done';
