<?php

// Worker mode for a script of classic mode: ?script= is its name.

declare(strict_types=1);

$handler = static function (): void {
    require __DIR__ . "/{$_GET['script']}.php";
};
while (frankenphp_handle_request($handler)) {
    continue;
}
