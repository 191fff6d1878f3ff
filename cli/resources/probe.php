<?php

/* Run by howdah-run, inside libphp and with the settings that requests will have: tells the command which PHP that is. */

$opcache = function_exists('opcache_get_status') ? opcache_get_status(false) : false;
echo json_encode([
    'version' => PHP_VERSION,
    'ini' => php_ini_loaded_file() ?: null,
    'opcache' => phpversion('Zend OPcache') ?: null,
    'opcache_enabled' => is_array($opcache) && $opcache['opcache_enabled'],
    'worker' => function_exists('frankenphp_handle_request'),
]), "\n";
