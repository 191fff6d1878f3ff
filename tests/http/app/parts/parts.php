<?php

declare(strict_types=1);

namespace Howdah\HttpTests\Parts;

/**
 * A page of parts, as the query says: `t100` is text of so many bytes, `t100-7` another one, `i/uri` includes another page
 * (`;` stands for `,` in its query), `w/uri` does and waits for it, `f` flushes, `s100` sleeps for so many milliseconds,
 * `lword` logs a word, `e` ends the response, `y` goes on when the client has gone, `p20` is a picture of that width, `p-20`
 * is none, `b` tells of the pool, `h204` sets the status.
 */
function page(): void
{
    ignore_user_abort(false); // what another page has said stays in worker mode
    $spec = $_GET['spec'] ?? '';
    header('Content-Type: text/html');
    foreach (explode(',', is_string($spec) ? $spec : '') as $step) {
        part($step[0] ?? '', substr($step, 1));
    }
}

function part(string $what, string $value): void
{
    match ($what) {
        't' => text(...array_map(intval(...), explode('-', $value))),
        'i' => print '<!--#include virtual="' . strtr($value, ';', ',') . '" -->',
        'w' => print '<!--#include virtual="' . strtr($value, ';', ',') . '" wait="yes" -->',
        'f' => flush(),
        's' => usleep((int) $value * 1000),
        'l' => error_log($value),
        'e' => fastcgi_finish_request(),
        'y' => ignore_user_abort(true),
        'p' => picture((int) $value),
        'h' => http_response_code((int) $value),
        'b' => print json_encode(\Howdah\status()),
        default => null,
    };
}

/** A PNG, and, where it is not to be one, the same with another beginning. */
function picture(int $width): void
{
    $image = imagecreatetruecolor(max(1, abs($width)), 10);
    assert($image !== false);
    ob_start();
    imagepng($image);
    $png = (string) ob_get_clean();
    echo $width > 0 ? $png : 'no picture' . $png;
}

/** In pieces, as a template would. */
function text(int $bytes, int $which = 0): void
{
    for ($at = 0; $at < $bytes; $at += 1000) {
        $mark = sprintf('%07d ', $which * 300_000 + $at);
        echo substr(str_repeat($mark, 125), 0, min(1000, $bytes - $at));
    }
}
