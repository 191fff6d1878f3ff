<?php

declare(strict_types=1);

namespace Howdah\Fuzz\App;

/** Looks at everything that the request brought, waits so that others run, and looks again. */
function act(): void
{
    if (($_GET['status'] ?? null) === '1') {
        echo json_encode(function_exists('Howdah\status') ? \Howdah\status() : null);

        return;
    }
    $before = seen();
    // The same of the same request.
    usleep(crc32(serialize($_GET)) % 2000);
    header('Content-Type: application/json');
    if (is_string($_GET['echo'] ?? null)) {
        // What a client sends must not break the head of the answer.
        @header('X-Echo: ' . $_GET['echo']);
        @setcookie('echo', $_GET['echo']);
    }
    $changed = $before === seen() ? '' : 'CHANGED ';
    preg_match_all('/mark[0-9a-f]{12}/', $before, $marks);
    $told = [
        'what' => $changed . strlen($before),
        'marks' => array_values(array_unique($marks[0])),
        'post' => $_POST,
        'files' => array_map(static fn (mixed $file) => is_array($file) ? $file['size'] ?? null : null, $_FILES),
    ];
    echo json_encode($told, JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR);
}

function seen(): string
{
    $files = array_map(
        static function (mixed $file): string {
            $path = is_array($file) ? $file['tmp_name'] : null;

            return is_string($path) && $path !== '' ? (string) @file_get_contents($path) : '';
        },
        $_FILES,
    );
    $time = array_intersect_key($_SERVER, ['REQUEST_TIME' => 1, 'REQUEST_TIME_FLOAT' => 1]);

    return serialize([$_GET, $_POST, $_COOKIE, $_REQUEST, $_FILES, $files, array_diff_key($_SERVER, $time), getenv(),
        getallheaders(), file_get_contents('php://input'), filter_input_array(INPUT_GET), filter_input_array(INPUT_SERVER)]);
}
