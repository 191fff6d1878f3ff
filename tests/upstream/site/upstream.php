<?php

declare(strict_types=1);

// What the upstreams of nginx's tests do. The last part of the path names it, or the parameter ACT. In a subrequest, and behind
// error_page, REQUEST_URI is what the client asked for: there WHERE tells the location's own.
$path = $_SERVER['WHERE'] ?? explode('?', $_SERVER['REQUEST_URI'])[0];
$act = $_SERVER['ACT'] ?? substr($path, (int) strrpos($path, '/') + 1);
require __DIR__ . '/acts.php';
