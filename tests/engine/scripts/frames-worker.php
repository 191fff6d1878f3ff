<?php

declare(strict_types=1);

$handler = static function (): void {
    require __DIR__ . '/frames.php';
};
while (frankenphp_handle_request($handler)) {
    continue;
}
