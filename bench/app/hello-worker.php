<?php

$handler = static function (): void {
    header('Content-Type: text/plain; charset=utf-8');
    echo "Hello, World!\n";
};

while (frankenphp_handle_request($handler)) {
}
