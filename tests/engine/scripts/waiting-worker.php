<?php

/**
 * Waits after each request, when its client has the answer: the request's number in its realm.
 */

declare(strict_types=1);

$count = 0;
while (frankenphp_handle_request(static function () use (&$count): void {
    echo ++$count;
})) {
    usleep(1000);
}
