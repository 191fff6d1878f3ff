<?php

/**
 * Worker mode: the kernel is booted once and then asked for each request.
 *
 * With symfony/runtime installed, its runner for FrankenPHP would do this with public/index.php.
 */

declare(strict_types=1);

use App\Kernel;
use Symfony\Component\HttpFoundation\Request;

// The worker outlives the visitor who closes the connection.
ignore_user_abort(true);

require dirname(__DIR__) . '/vendor/autoload.php';

$kernel = Kernel::fromEnvironment();
$kernel->boot();

$handle = static function () use ($kernel): void {
    // From the second request on, handle() first resets the services that are tagged kernel.reset.
    $request = Request::createFromGlobals();
    $response = $kernel->handle($request);
    $response->send();
    $kernel->terminate($request, $response);
};

while (frankenphp_handle_request($handle)) {
    gc_collect_cycles();
}
