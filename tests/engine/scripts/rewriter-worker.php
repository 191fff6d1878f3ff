<?php

// A worker script each of whose requests has links and forms rewritten, and tells how much memory there is in use.

declare(strict_types=1);

while (
    frankenphp_handle_request(static function (): void {
        output_add_rewrite_var("name{$_GET['n']}", str_repeat('x', 1000));
        print(memory_get_usage() . "\n");
    })
) {
}
