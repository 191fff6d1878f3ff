<?php

/**
 * Stands in for symfony/polyfill-php85, which composer.json replaces: the one function of it that the framework calls.
 */

declare(strict_types=1);

if (!function_exists('get_error_handler')) {
    function get_error_handler(): ?callable
    {
        $handler = set_error_handler(null);
        restore_error_handler();

        return $handler;
    }
}
