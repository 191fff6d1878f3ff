<?php

$handler = static function (): void {
    require __DIR__ . '/settings.php';
};

while (frankenphp_handle_request($handler)) {
}
