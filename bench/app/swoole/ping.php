<?php

/* The PSR-15 example on Swoole, its requests built as mezzio-swoole builds them: with the library's own constructor. */

declare(strict_types=1);

use Nyholm\Psr7\ServerRequest;

require dirname(__DIR__, 3) . '/examples/psr15/vendor/autoload.php';
require __DIR__ . '/server.php';

$handler = App\Application::handler();

serve(static function (Swoole\Http\Request $swoole, Swoole\Http\Response $answer) use ($handler): void {
    $server = array_change_key_case($swoole->server, CASE_UPPER);
    $query = isset($server['QUERY_STRING']) ? "?{$server['QUERY_STRING']}" : '';
    $uri = "http://{$swoole->header['host']}{$server['REQUEST_URI']}$query";
    $body = $swoole->getContent() ?: null;
    $request = new ServerRequest($server['REQUEST_METHOD'], $uri, $swoole->header, $body, '1.1', $server);
    if ($swoole->cookie !== null) {
        $request = $request->withCookieParams($swoole->cookie);
    }

    $response = $handler->handle($request);
    $answer->status($response->getStatusCode(), $response->getReasonPhrase());
    foreach ($response->getHeaders() as $name => $values) {
        $answer->header((string) $name, implode(', ', $values));
    }
    $answer->end((string) $response->getBody());
});
