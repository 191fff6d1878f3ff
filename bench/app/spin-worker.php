<?php

$handler = static function (): void {
    require __DIR__ . '/spin.php';
};

while (frankenphp_handle_request($handler)) {
}
