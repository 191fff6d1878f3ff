<?php

/**
 * The same pages in worker mode: this file is started once and then asked for each request.
 *
 * A page is a file, as in classic mode; what it needs in common is loaded once, here.
 */

declare(strict_types=1);

require_once __DIR__ . '/../src/Page.php';

$page = static function (): void {
    $path = parse_url($_SERVER['REQUEST_URI'] ?? '/', PHP_URL_PATH);
    $name = $path === '/' ? 'index.php' : ltrim((string) $path, '/');
    if (preg_match('/^[a-z]+\.php$/D', $name) !== 1 || !is_file(__DIR__ . "/{$name}")) {
        http_response_code(404);
        Page::begin('Not found');
        echo "<p>There is no such page.</p>\n";
        Page::end();

        return;
    }
    require __DIR__ . "/{$name}";
};

while (frankenphp_handle_request($page)) {
}
