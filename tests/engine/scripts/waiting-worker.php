<?php

/**
 * Waits after each request, when its client has the answer: the request's number in its realm.
 */

declare(strict_types=1);

$count = 0;
$handle = static function () use (&$count): void {
    echo ++$count;
};
while (frankenphp_handle_request($handle)) {
    usleep(1000);
}
