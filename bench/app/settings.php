<?php

/* What PHP runs with: those who are compared are asked (src/Suite/Interpreter.php). */

header('Content-Type: application/json');
$opcache = function_exists('opcache_get_status') ? @opcache_get_status(false) : false;
$jit = ($opcache ?: [])['jit'] ?? null;
$statistics = ($opcache ?: [])['preload_statistics'] ?? null;
$preloaded = is_array($statistics) ? $statistics['scripts'] ?? null : null;
echo json_encode([
    'version' => PHP_VERSION,
    'zts' => PHP_ZTS === 1,
    'debug' => PHP_DEBUG === 1,
    'sapi' => PHP_SAPI,
    'extensions' => get_loaded_extensions(),
    'opcache_loaded' => extension_loaded('Zend OPcache'),
    'opcache' => ($opcache ?: [])['opcache_enabled'] ?? false,
    'preloaded' => count(is_array($preloaded) ? $preloaded : []),
    'jit' => is_array($jit) && ($jit['on'] ?? false),
    'ini' => ini_get_all(null, false),
], JSON_THROW_ON_ERROR), "\n";
