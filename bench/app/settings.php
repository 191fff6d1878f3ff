<?php

/* What PHP runs with: those who are compared must agree (src/Suite/Settings.php). */

header('Content-Type: application/json');
echo json_encode([
    'version' => PHP_VERSION,
    'extensions' => get_loaded_extensions(),
    'opcache' => (opcache_get_status(false) ?: [])['opcache_enabled'] ?? false,
    'ini' => ini_get_all(null, false),
], JSON_THROW_ON_ERROR), "\n";
