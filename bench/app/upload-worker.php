<?php

$handler = static function (): void {
    require __DIR__ . '/upload.php';
};

while (frankenphp_handle_request($handler)) {
}
