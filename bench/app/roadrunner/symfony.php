<?php

/* symfony.php PROJECT: the Symfony example on RoadRunner. */

declare(strict_types=1);

use App\Kernel;
use Spiral\RoadRunner\Http\HttpWorker;
use Spiral\RoadRunner\Worker;
use Symfony\Component\HttpFoundation\Request;

[, $project] = $_SERVER['argv'];
require "$project/vendor/autoload.php";

$kernel = Kernel::fromEnvironment();
$kernel->boot();
$worker = new HttpWorker(Worker::create());

while (($asked = $worker->waitRequest()) !== null) {
    try {
        $headers = [];
        foreach ($asked->headers as $name => $values) {
            $headers['HTTP_' . strtoupper(strtr($name, '-', '_'))] = implode(', ', $values);
        }
        $request = Request::create($asked->uri, $asked->method, [], $asked->cookies, [], $headers, $asked->body);
        $response = $kernel->handle($request);
        $worker->respond($response->getStatusCode(), (string) $response->getContent(), $response->headers->all());
        $kernel->terminate($request, $response);
    } catch (Throwable $error) {
        $worker->getWorker()->error((string) $error);
    }
}
