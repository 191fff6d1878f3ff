<?php

$handler = static function (): void {
    require __DIR__ . '/events.php';
};

while (frankenphp_handle_request($handler)) {
}
