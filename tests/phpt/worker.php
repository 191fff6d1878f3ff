<?php

/**
 * Includes one of PHP's tests for each request: as a worker script of Howdah, and as the script of each request of php-fpm. The
 * test's scope is a function's, in both; nothing of this script is in it.
 */

declare(strict_types=1);

function phpt_set(mixed $settings): void
{
    foreach (is_string($settings) ? parse_ini_string($settings) ?: [] : [] as $name => $value) {
        ini_set((string) $name, is_string($value) ? $value : '');
    }
}

function phpt_run(): void
{
    phpt_set($_SERVER['PHPT_SETTINGS'] ?? null);
    include $_SERVER['PHPT_SCRIPT'];
}

// No closure: tests show the numbers of their objects.
if (function_exists('frankenphp_handle_request')) {
    while (frankenphp_handle_request('phpt_run')) {
    }
} else {
    phpt_run();
}
