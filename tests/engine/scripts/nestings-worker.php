<?php

declare(strict_types=1);

$handler = static function (): void {
    require __DIR__ . '/nestings.php';
};
while (frankenphp_handle_request($handler)) {
    continue;
}
