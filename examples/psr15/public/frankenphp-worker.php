<?php

/** Worker mode: the application is made once; the runner asks for request after request. */

declare(strict_types=1);

// The worker outlives the visitor who closes the connection.
ignore_user_abort(true);

require dirname(__DIR__) . '/vendor/autoload.php';

App\Application::runner()->run();
