<?php

/* Run by howdah-run, inside libphp and with the settings that requests will have: tells the command which PHP that is, on the
 * last line of what it prints (a preloaded script may print too). */

// Where its functions may not be called (disable_functions, opcache.restrict_api), the settings are all that can be known.
$mayAsk = function_exists('opcache_get_status') && (string) ini_get('opcache.restrict_api') === '';
$opcache = $mayAsk ? opcache_get_status(false) : null;
$extensions = [];
foreach ([...get_loaded_extensions(), ...get_loaded_extensions(true)] as $name) {
    $extensions[$name] = phpversion($name) ?: null;
}
echo "\n", json_encode([
    'version' => PHP_VERSION,
    'ini' => php_ini_loaded_file() ?: null,
    'scanned' => php_ini_scanned_files() ?: null,
    'opcache' => phpversion('Zend OPcache') ?: null,
    'opcache_enabled' => $mayAsk
        ? is_array($opcache) && $opcache['opcache_enabled']
        : filter_var(ini_get('opcache.enable'), FILTER_VALIDATE_BOOL) && !ini_get('opcache.file_cache_only'),
    'opcache_keys' => $opcache['opcache_statistics']['max_cached_keys'] ?? null,
    'worker' => function_exists('frankenphp_handle_request'),
    'extensions' => $extensions,
    'settings' => ini_get_all(null, false),
], JSON_INVALID_UTF8_SUBSTITUTE), "\n";
