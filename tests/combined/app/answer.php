<?php

declare(strict_types=1);

namespace Howdah\Combined\App;

/** A page that its query describes: the same each time, whoever serves it. */
function answer(): void
{
    $read = static fn (string $name): int => is_string($_GET[$name] ?? null) ? (int) $_GET[$name] : 0;
    $kind = is_string($_GET['kind'] ?? null) ? $_GET['kind'] : 'text';
    if ($kind === 'status') {
        echo json_encode(\Howdah\status());

        return;
    }
    http_response_code($read('status') ?: 200);
    $types = ['xml' => 'text/xml', 'png' => 'image/png', 'octets' => 'application/octet-stream'];
    header('Content-Type: ' . ($types[$kind] ?? 'text/html; charset=koi8-r'));
    if ($read('inside') > 0) {
        header("X-Accel-Redirect: /inc/page.php?lines={$read('inside')}&kind=$kind");

        return;
    }
    $body = (string) file_get_contents('php://input');
    $pieces = match ($kind) {
        'png' => [picture()],
        'xml' => ['<?xml version="1.0"?><page>', ...paragraphs($read('lines')), '</page>'],
        'ssi' => ssi($read('lines')),
        'packed' => [gzencode(implode('', lines($read('lines'))), 1)],
        default => [...lines($read('lines')), 'body ' . strlen($body) . ' ' . md5($body) . "\n"],
    };
    if ($kind === 'packed') {
        header('Content-Encoding: gzip');
    }
    if ($read('known') > 0) {
        header('Content-Length: ' . strlen(implode('', $pieces)));
    }
    foreach ($pieces as $number => $piece) {
        echo $piece;
        if ($read('every') > 0 && $number % $read('every') === 0) {
            flush();
            usleep($read('pause'));
        }
    }
}

/** @return list<string> */
function lines(int $count): array
{
    $lines = [];
    for ($i = 0; $i < $count; ++$i) {
        $lines[] = "line $i of $count: mark \xcb\xcf\xc9 " . str_repeat(chr(97 + $i % 26), $i * 37 % 200) . "\n";
    }

    return $lines;
}

/** @return list<string> with other pages in the first 40 lines: each of these is a request */
function ssi(int $count): array
{
    $pieces = [];
    foreach (lines($count) as $number => $line) {
        $pieces[] = $line;
        $pieces[] = match ($number < 40 ? $number % 12 : null) {
            3 => "<!--# include virtual=\"/inc/page.php?lines=3&pause=1000&every=1\" -->\n",
            6 => "<!--# include virtual=\"/inc/text.txt\" -->\n",
            8 => "<!--# set var=\"v\" value=\"$number\" --><!--# echo var=\"v\" -->\n",
            9 => "<!--# include virtual=\"/inc/page.php?lines=200\" wait=\"yes\" -->\n",
            default => '',
        };
    }

    return $pieces;
}

/** @return list<string> */
function paragraphs(int $count): array
{
    return array_map(static fn (int $number) => "<p>line $number</p>\n", range(0, $count));
}

/** 40 by 30 points. */
function picture(): string
{
    return (string) base64_decode(
        'iVBORw0KGgoAAAANSUhEUgAAACgAAAAeCAIAAADRv8uKAAAACXBIWXMAAA7EAAAOxAGVKw4bAAAAM0lEQVRIie3NIQ4AIAwEwZb/'
        . '/5l6FGlDgphxJy4bAY/ksffwf211j1PCwsLCwsL/hQHaCsyRASDeMbYOAAAAAElFTkSuQmCC',
    );
}
