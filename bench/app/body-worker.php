<?php

$handler = static function (): void {
    require __DIR__ . '/body.php';
};

while (frankenphp_handle_request($handler)) {
}
