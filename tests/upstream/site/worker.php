<?php

declare(strict_types=1);

$serve = static function (): void {
    require __DIR__ . '/upstream.php';
};
while (frankenphp_handle_request($serve)) {
    continue;
}
