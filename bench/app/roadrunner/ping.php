<?php

/* The PSR-15 example on RoadRunner: the loop of its documentation. */

declare(strict_types=1);

use Nyholm\Psr7\Factory\Psr17Factory;
use Nyholm\Psr7\Response;
use Spiral\RoadRunner\Http\PSR7Worker;
use Spiral\RoadRunner\Worker;

require dirname(__DIR__, 3) . '/examples/psr15/vendor/autoload.php';

$handler = App\Application::handler();
$factory = new Psr17Factory();
$worker = new PSR7Worker(Worker::create(), $factory, $factory, $factory);

for (;;) {
    try {
        $request = $worker->waitRequest();
    } catch (Throwable) {
        $worker->respond(new Response(400));
        continue;
    }
    if ($request === null) {
        break;
    }
    try {
        $worker->respond($handler->handle($request));
    } catch (Throwable $error) {
        $worker->respond(new Response(500));
        $worker->getWorker()->error((string) $error);
    }
}
