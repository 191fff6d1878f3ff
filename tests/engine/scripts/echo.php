<?php

declare(strict_types=1);

http_response_code(201);
header('X-One: 1');
header('Set-Cookie: a=1', false);
header('Set-Cookie: b=2', false);
echo json_encode([
    'method' => $_SERVER['REQUEST_METHOD'],
    'uri' => $_SERVER['REQUEST_URI'],
    'self' => $_SERVER['PHP_SELF'],
    'get' => $_GET,
    'post' => $_POST,
    'cookie' => $_COOKIE,
    'input' => file_get_contents('php://input'),
    'header' => getallheaders()['X-Test'] ?? null,
    'env' => getenv('REMOTE_ADDR'),
    'sapi' => PHP_SAPI,
    'worker' => isset($_SERVER['FRANKENPHP_WORKER']),
]), "\n";
