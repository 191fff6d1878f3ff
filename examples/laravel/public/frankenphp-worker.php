<?php

/**
 * Worker mode: this file is started once and then asked for each request.
 *
 * With laravel/octane installed, its own public/frankenphp-worker.php would stand here.
 */

declare(strict_types=1);

use App\Worker\Worker;
use Illuminate\Foundation\Application;

// The worker outlives the visitor who closes the connection.
ignore_user_abort(true);

require __DIR__ . '/../vendor/autoload.php';

/** @var Application $app */
$app = require __DIR__ . '/../bootstrap/app.php';

$worker = Worker::boot($app);

while (frankenphp_handle_request($worker->handle(...))) {
}
