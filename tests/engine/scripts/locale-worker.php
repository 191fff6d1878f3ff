<?php

/** locale.php in worker mode: what belongs to a request is put back by the request itself, as worker-mode applications have to. */

declare(strict_types=1);

while (
    frankenphp_handle_request(static function (): void {
        require __DIR__ . '/locale.php';
        setlocale(LC_ALL, 'C');
        setlocale(LC_CTYPE, 'C.UTF-8');
        putenv('OWN');
        putenv('TZ');
        closelog();
        putenv('SHARED_NAME=from outside');
        textdomain('messages');
    })
) {
}
