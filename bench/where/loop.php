<?php

/**
 * php's command line answers requests as a worker of Howdah does: loop.php WORKER PATH WARM COUNTED. Where it asks whose it is
 * callgrind writes what it has counted (--dump-before=php_get_current_user).
 */

declare(strict_types=1);

// The worker script's variables are as global as ours.
define('LOOP', array_combine(['worker', 'path', 'warm', 'counted'], array_slice($argv, 1)));

/** @return array<string, string> */
function getallheaders(): array
{
    $headers = [];
    foreach (['Host' => 'HTTP_HOST', 'User-Agent' => 'HTTP_USER_AGENT', 'Accept' => 'HTTP_ACCEPT'] as $name => $entry) {
        $headers[$name] = is_string($_SERVER[$entry]) ? $_SERVER[$entry] : '';
    }

    return $headers;
}

/** What Howdah does for a request, with $_SERVER of as many entries as nginx gives; false: this was the last one. */
function frankenphp_handle_request(callable $handler): bool
{
    /** @var int $asked */
    static $asked = -1;
    $asked++;
    ['worker' => $worker, 'path' => $path, 'warm' => $warm, 'counted' => $counted] = LOOP;
    $last = (int) $warm + (int) $counted;
    if ($asked === (int) $warm || $asked === $last) {
        get_current_user();
    }
    if ($asked === $last) {
        return false;
    }
    $name = '/' . basename($worker);
    $now = microtime(true);
    $_GET = $_POST = $_COOKIE = $_FILES = $_REQUEST = [];
    $_SERVER = [
        'FRANKENPHP_WORKER' => '1',
        'GATEWAY_INTERFACE' => 'CGI/1.1',
        'SERVER_SOFTWARE' => 'nginx/1.22.1',
        'SERVER_PROTOCOL' => 'HTTP/1.1',
        'SERVER_NAME' => '127.0.0.1',
        'SERVER_ADDR' => '127.0.0.1',
        'SERVER_PORT' => '32000',
        'REMOTE_ADDR' => '127.0.0.1',
        'REMOTE_PORT' => '40000',
        'REQUEST_SCHEME' => 'http',
        'REQUEST_METHOD' => 'GET',
        'REQUEST_URI' => $path,
        'QUERY_STRING' => '',
        'DOCUMENT_ROOT' => dirname($worker),
        'DOCUMENT_URI' => $name,
        'SCRIPT_NAME' => $name,
        'SCRIPT_FILENAME' => $worker,
        'PHP_SELF' => $name,
        'REQUEST_TIME' => (int) $now,
        'REQUEST_TIME_FLOAT' => $now,
        'HTTP_HOST' => '127.0.0.1:32000',
        'HTTP_USER_AGENT' => 'h2load nghttp2/1.52.0',
        'HTTP_ACCEPT' => '*/*',
    ];
    http_response_code(200);
    // Not to standard output: PHP would let nobody set headers afterwards.
    ob_start();
    $handler();
    $body = (string) ob_get_clean();
    if (http_response_code() !== 200 || fwrite(STDERR, $body) < 2) {
        throw new RuntimeException("$path: the answer is wrong");
    }
    header_remove();

    return true;
}

// The runner of packages/psr15 asks for it before the first request.
$_SERVER['FRANKENPHP_WORKER'] = '1';
require LOOP['worker'];
