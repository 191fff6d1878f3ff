<?php

/* What answers everything: once, or in worker mode again and again. */

$answer = static function (): void {
    preg_match('#^(?:http://[^/]+)?/([a-z0-9-]+)/#', $_SERVER['REQUEST_URI'], $case);
    (static function (string $file): void {
        require $file;
    })(__DIR__ . '/' . ($case[1] ?? '') . '/index.php');
};
if (!isset($_SERVER['FRANKENPHP_WORKER'])) {
    $answer();

    return;
}
while (frankenphp_handle_request($answer)) {
    continue;
}
