<?php

/** What a script leaves behind that ends in the midst of a request: a shutdown function, which wants to print and to buffer. */

declare(strict_types=1);

require_once __DIR__ . '/requests.php';

register_shutdown_function(static function (): void {
    ob_start(static fn (string $text): string => $text);
    echo ' ';
});

while (frankenphp_handle_request(Howdah\HttpTests\Ends\serve(...))) {
}
