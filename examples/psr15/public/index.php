<?php

/** Classic mode and php-fpm: one request. */

declare(strict_types=1);

require dirname(__DIR__) . '/vendor/autoload.php';

App\Application::runner()->run();
