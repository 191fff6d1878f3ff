<?php

/* What octane:install puts into an application's public/, where the example has a worker script of its own. */

declare(strict_types=1);

require $_SERVER['APP_BASE_PATH'] . '/vendor/laravel/octane/bin/frankenphp-worker.php';
