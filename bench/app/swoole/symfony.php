<?php

/* The Symfony example on Swoole. */

declare(strict_types=1);

use App\Kernel;
use Symfony\Component\HttpFoundation\Request;

require dirname(__DIR__, 3) . '/examples/symfony/vendor/autoload.php';
require __DIR__ . '/server.php';

$kernel = Kernel::fromEnvironment();
$kernel->boot();

serve(static function (Swoole\Http\Request $swoole, Swoole\Http\Response $answer) use ($kernel): void {
    $server = array_change_key_case($swoole->server, CASE_UPPER);
    foreach ($swoole->header as $name => $value) {
        $server['HTTP_' . strtoupper(strtr($name, '-', '_'))] = $value;
    }
    $cookies = $swoole->cookie ?? [];
    $request = new Request($swoole->get ?? [], $swoole->post ?? [], [], $cookies, [], $server, $swoole->getContent());
    $response = $kernel->handle($request);
    $answer->status($response->getStatusCode());
    foreach ($response->headers->all() as $name => $values) {
        $answer->header($name, $values);
    }
    $answer->end((string) $response->getContent());
    $kernel->terminate($request, $response);
});
