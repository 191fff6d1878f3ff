<?php

/* FrankenPHP's function, by RoadRunner's worker: worker scripts of bench/app run unchanged. */

declare(strict_types=1);

use Spiral\RoadRunner\Http\HttpWorker;
use Spiral\RoadRunner\Worker;

/** What is printed is the answer. False when there is no request more. */
function frankenphp_handle_request(callable $handler): bool
{
    static $worker = null;
    $worker ??= new HttpWorker(Worker::create());
    $request = $worker->waitRequest();
    if ($request === null) {
        return false;
    }
    $_GET = $request->query;
    ob_start();
    try {
        $handler();
        $worker->respond(200, (string) ob_get_clean(), ['Content-Type' => ['text/plain; charset=utf-8']]);
    } catch (Throwable $error) {
        ob_end_clean();
        $worker->getWorker()->error((string) $error);
    }

    return true;
}
