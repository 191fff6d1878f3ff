<?php

$handler = static function (): void {
    usleep(10_000);
    header('Content-Type: text/plain; charset=utf-8');
    echo "Hello, World!\n";
};

while (frankenphp_handle_request($handler)) {
}
