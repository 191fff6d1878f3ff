<?php

declare(strict_types=1);

namespace Howdah\HttpTests\Flow;

use function Howdah\HttpTests\waitAtDoor;

require_once dirname(__DIR__) . '/door.php';

/** Bodies and responses that are large, slow or endless: the path names the action. */
function act(): void
{
    match ((string) parse_url(text($_SERVER['REQUEST_URI'] ?? null), PHP_URL_PATH)) {
        '/process' => print getmypid(),
        '/status' => print json_encode(function_exists('Howdah\status') ? \Howdah\status() : null),
        '/input' => readInput(),
        '/input-twice' => readInputTwice(),
        '/files' => tellFiles(),
        '/output' => output((int) text($_GET['megabytes'] ?? null), (int) text($_GET['flush'] ?? null) > 0),
        '/late' => late((int) text($_GET['status'] ?? null), (int) text($_GET['bytes'] ?? null)),
        '/events' => events(text($_GET['gate'] ?? null), (int) text($_GET['events'] ?? null)),
        '/headers' => headers((int) text($_GET['count'] ?? null), (int) text($_GET['bytes'] ?? null)),
        '/flushed' => flushed((int) text($_GET['bytes'] ?? null), (int) text($_GET['ms'] ?? null), text($_GET['at'] ?? null)),
        '/flushes' => flushes((int) text($_GET['count'] ?? null)),
        '/status-line' => header('Status: ' . text($_GET['value'] ?? null)),
        '/first-line' => header(text($_GET['value'] ?? null)),
        '/drops' => drops((int) text($_GET['count'] ?? null), isset($_GET['flush']) ? 1 : 100),
        '/hints' => hints((int) text($_GET['count'] ?? null)),
        '/trailers' => trailers((int) text($_GET['count'] ?? null)),
        '/echo' => print str_repeat('e', (int) text($_GET['megabytes'] ?? null) << 20),
        '/around' => around(text($_GET['parts'] ?? null), (int) text($_GET['megabytes'] ?? null)),
        '/file' => sendFile(text($_GET['by'] ?? null), text($_GET['file'] ?? null)),
        '/accel' => header('X-Accel-Redirect: ' . text($_GET['to'] ?? null)),
        '/touch' => touch(text($_GET['file'] ?? null)),
        '/sleep' => usleep((int) text($_GET['ms'] ?? null) * 1000),
        default => print 'nothing here',
    };
}

function text(mixed $value): string
{
    return is_scalar($value) ? (string) $value : '';
}

/** Piece by piece, as applications read what is larger than their memory. */
function readInput(): void
{
    $input = fopen('php://input', 'r');
    assert($input !== false);
    $hash = hash_init('crc32b');
    for ($bytes = 0; !feof($input); $bytes += strlen($piece)) {
        $piece = (string) fread($input, 65536);
        hash_update($hash, $piece);
    }
    echo $bytes, ' ', hash_final($hash);
}

/** Some of it, then all of it, then again from the middle. */
function readInputTwice(): void
{
    $first = fopen('php://input', 'r');
    assert($first !== false);
    $start = (string) fread($first, 100);
    $whole = (string) file_get_contents('php://input');
    fseek($first, intdiv(strlen($whole), 2));
    $end = (string) stream_get_contents($first);
    $told = [strlen($start), str_starts_with($whole, $start), sha1($whole), str_ends_with($whole, $end), strlen($end)];
    echo json_encode($told);
}

function tellFiles(): void
{
    $told = [];
    foreach ($_FILES as $name => $file) {
        $path = is_array($file) ? text($file['tmp_name'] ?? null) : '';
        $told[$name] = is_uploaded_file($path) ? filesize($path) . ' ' . hash_file('crc32b', $path) : null;
    }
    echo json_encode(['files' => $told, 'post' => $_POST]);
}

/** Each megabyte begins with its number. */
function output(int $megabytes, bool $flush): void
{
    $rest = str_repeat('x', (1 << 20) - 8);
    for ($i = 0; $i < $megabytes; ++$i) {
        echo sprintf('%08d', $i), $rest;
        if ($flush) {
            flush();
        }
    }
}

/** A page that includes others, with so much before each and after the last. */
function around(string $parts, int $megabytes): void
{
    foreach (explode(',', $parts) as $part) {
        output($megabytes, false);
        echo '<!--#include virtual="', $part, '" -->';
    }
    output($megabytes, false);
}

/** So many bytes, then nothing for a while, or until the test opens its door. */
function flushed(int $bytes, int $ms, string $at): void
{
    echo str_repeat('z', $bytes);
    flush();
    usleep($ms * 1000);
    waitAtDoor($at);
    echo 'end';
}

/** Many small writes; of the smallest each is flushed. */
function drops(int $count, int $bytes): void
{
    for ($i = 0; $i < $count; ++$i) {
        echo str_repeat('d', $bytes);
        if ($bytes === 1) {
            flush();
        }
    }
}

/** As many early hints as the client may be sent, and how many that were is told. */
function hints(int $count): void
{
    header('Link: </style.css>; rel=preload; as=style');
    for ($sent = 0; $count > 0; --$count) {
        $sent += headers_send(103) === 1 ? 1 : 0;
    }
    echo $sent;
}

function trailers(int $count): void
{
    $add = text('Howdah\trailer'); // phpstan does not know the function
    for ($sent = 0; $count > 0 && is_callable($add); --$count) {
        $sent += $add("X-Trailer-$count", str_repeat('t', 1000)) === true ? 1 : 0;
    }
    echo $sent;
}

function sendFile(string $by, string $file): void
{
    $stream = fopen($file, 'r');
    assert($stream !== false);
    match ($by) {
        'readfile' => readfile($file),
        'fpassthru' => fpassthru($stream),
        default => stream_copy_to_stream($stream, fopen('php://output', 'w') ?: $stream),
    };
}

/** The head and a byte, and then nothing, often. */
function flushes(int $count): void
{
    echo 'a';
    for ($i = 0; $i < $count; ++$i) {
        flush();
    }
    echo 'z';
}

/** Output of so many bytes whatever the status says, in pieces that are flushed. */
function late(int $status, int $bytes): void
{
    http_response_code($status);
    for ($left = $bytes; $left > 0; $left -= 5000) {
        echo str_repeat('y', min(5000, $left));
        flush();
    }
}

/** An event as soon as the gate's number allows it, and a last one. */
function events(string $gate, int $events): void
{
    header('Content-Type: text/event-stream');
    header('X-Accel-Buffering: no');
    for ($i = 0; $i < $events; ++$i) {
        while ((int) @file_get_contents($gate) < $i) {
            usleep(50_000);
        }
        echo "id: $i\ndata: event $i\n\n";
        flush();
    }
}

function headers(int $count, int $bytes): void
{
    for ($i = 0; $i < $count; ++$i) {
        header("X-Many-$i: " . str_repeat('h', $bytes));
    }
    echo 'after the headers';
}
