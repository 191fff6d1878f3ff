<?php

$handler = static function (): void {
    require __DIR__ . '/mixed.php';
};

while (frankenphp_handle_request($handler)) {
}
