<?php

declare(strict_types=1);

namespace Howdah\HttpTests\Ends;

use RuntimeException;

require_once __DIR__ . '/Act.php';
require_once __DIR__ . '/streams.php';
require_once __DIR__ . '/places.php';

/** Victims end in a callback of their end, and their neighbours wait meanwhile. */
function serve(): void
{
    match (basename((string) strtok($_SERVER['REQUEST_URI'], '?'))) {
        'end' => end_in($_GET['place']),
        'stay' => stay((int) $_GET['id'], $_GET['folder']),
        'ping' => print 'pong',
        default => http_response_code(404),
    };
}

/** In worker mode a request ends without its script, or with it: exit. */
function end_in(string $place): void
{
    Act::$folder = $_GET['folder'];
    Act::$way = $_GET['way'];
    Act::$name = $place . ($_GET['exits'] ? '-exits' : '');
    echo 'body';
    (__NAMESPACE__ . '\\' . str_replace(' ', '_', $place))();
    if ($_GET['exits']) {
        exit;
    }
}

/** Stays until there is a file. Answers with a value that depends on its id, if all that it has set is still there. */
function stay(int $id, string $folder): void
{
    static $calls = 0;
    $call = ++$calls;
    $file = fopen('php://memory', 'w+');
    stream_filter_append($file, 'string.toupper', STREAM_FILTER_WRITE);
    fwrite($file, "neighbour $id");
    ob_start();
    echo $id;
    touch("$folder/stays-$id");
    while (!file_exists("$folder/release")) {
        usleep(5000);
    }
    rewind($file);
    if (ob_get_clean() !== (string) $id || $calls !== $call || stream_get_contents($file) !== "NEIGHBOUR $id") {
        throw new RuntimeException("neighbour $id has lost its state");
    }
    echo sha1("neighbour $id");
}
