<?php

// Each request leaves a reference cycle with 16 KB, which only PHP's collector finds.
$handler = static function (): void {
    $node = new stdClass();
    $node->self = $node;
    $node->payload = str_repeat('x', 16384);
    header('Content-Type: text/plain; charset=utf-8');
    echo "Hello, World!\n";
};

while (frankenphp_handle_request($handler)) {
}
