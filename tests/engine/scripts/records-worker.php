<?php

// records.php in worker mode. Its functions and classes are declared once.

declare(strict_types=1);

while (
    frankenphp_handle_request(static function (): void {
        require __DIR__ . '/records.php';
    })
) {
}
