<?php

declare(strict_types=1);

/** @var string $act */

// A body with its end in sight: what is cut off, or doubled, shows.
$told = static fn (): string => file_get_contents('php://input') . '_eos';
$rows = implode('', array_map(static fn (int $row): string => sprintf('X%03dXXXXXX', $row), range(0, 99)));
$flushed = static function (string $text, int $bytes): void {
    foreach (str_split($text, $bytes) as $part) {
        echo $part;
        flush();
    }
};

switch ($act) {
    // What nginx asks another location for is told by what that one says.
    case 'see':
        echo 'SEE-THIS';
        break;
    case 'nothing':
        break;
    case 'short.html':
    case 'short':
        header('Content-Length: 100');
        echo 'SEE-THIS';
        break;
    case 'short-flushed':
        header('Content-Length: 100');
        $flushed('SEE-THIS', 3);
        break;
    case 'short-empty':
        header('Content-Length: 100');
        break;
    case 'extra':
        header('Content-Length: 8');
        echo 'SEE-THIS-BUT-NOT-THIS';
        break;
    case 'extra-flushed':
        header('Content-Length: 8');
        $flushed('SEE-THIS-BUT-NOT-THIS', 3);
        break;
    case 'zero':
        header('Content-Length: 0');
        echo 'NOT-THIS';
        break;
    case 'parts':
        $flushed("SEE-THIS\nAND-THIS", 4);
        break;
    case 'redirect':
        header('Location: http://localhost/redirect');
        echo 'SEE-THIS';
        break;
    case 'stderr':
        error_log(str_repeat('sample stderr text ', 512));
        echo 'SEE-THIS';
        break;
    case 'status':
        http_response_code((int) $_GET['s']);
        if ($_GET['s'] === '401') {
            header('WWW-Authenticate: Basic realm="restricted"');
        }
        echo $_GET['text'] ?? 'SEE-THIS';
        break;
    case 'body':
        echo $told();
        break;
    case 'body-header':
        header('X-Length: ' . strlen((string) file_get_contents('php://input')));
        header('X-Announced: ' . ($_SERVER['CONTENT_LENGTH'] ?? 'none'));
        break;
    case 'body-unread':
        echo 'SEE-THIS';
        break;
    case 'tell':
        foreach ($_GET['name'] as $name) {
            echo $name, '=', $_SERVER[$name] ?? 'none', ';';
        }
        break;
    case 'multi-headers':
        foreach (['Set-Cookie', 'Cache-Control', 'Link', 'Bar'] as $name) {
            foreach (['foo=1', 'bar=2', 'bazz=3'] as $value) {
                header("$name: $value", false);
            }
        }
        break;
    case 'header':
        foreach ($_GET['h'] as $line) {
            header($line, false);
        }
        echo $_GET['text'] ?? 'SEE-THIS';
        break;
    case 'auth':
        if (($_SERVER['HTTP_AUTHORIZATION'] ?? '') !== 'Basic dXNlcjpzZWNyZXQ=') {
            http_response_code(401);
            header('WWW-Authenticate: Basic realm="restricted"');
        }
        header('X-Username: ' . ($_SERVER['NAMED'] ?? 'username'));
        echo 'INVISIBLE', file_get_contents('php://input');
        break;
    case 'modified':
        header('Last-Modified: Mon, 28 Sep 1970 06:00:00 GMT');
        header('ETag: "59a5401c-8"');
        header('Accept-Ranges: bytes');
        echo 'SEE-THIS';
        break;
    case 'rows':
        echo $rows;
        break;
    case 'gzipped':
        header('Content-Encoding: gzip');
        header('Content-Type: text/plain');
        echo gzencode($rows);
        break;
    case 'gzipped-twice':
        header('Content-Encoding: gzip');
        $flushed(gzencode($rows) . gzencode($rows), 50);
        break;
    case 'gzipped-empty':
        header('Content-Encoding: gzip');
        echo gzencode('');
        break;
    case 'large':
        $flushed(str_repeat('0123456789abcdef', 65536), 100000);
        break;
    case 'xs':
        echo str_repeat('X', (int) $_GET['n']);
        break;
    case 'pieces':
        $flushed($_GET['text'], (int) $_GET['n']);
        break;
    case 'crossing':
        // Such a text lies across the ends of many buffers.
        echo str_repeat($_GET['text'], (int) $_GET['n']);
        break;
    case 'include':
        echo '<!--#include virtual="' . ($_GET['uri'] ?? '/see') . '" -->';
        break;
    case 'include-many':
        for ($number = 0; $number < (int) $_GET['n']; ++$number) {
            echo $number, ':<!--#include virtual="', $_GET['uri'], '" -->;', str_repeat(' ', 5000);
            if ($number % 3 === 0) {
                flush();
            }
        }
        break;
    case 'ssi':
        echo $_GET['text'];
        break;
    case 'late':
        usleep(100_000);
        echo str_repeat('y', 1024), 'SEE-THIS';
        break;
    case 'late-parts':
        foreach (['a', 'b', 'c'] as $part) {
            echo $part;
            flush();
            usleep(20_000);
        }
        break;
    case 'image':
        $image = imagecreate(100, 120);
        imagecolorallocate($image, 255, 255, 255);
        imagerectangle($image, 0, 0, 99, 99, imagecolorallocate($image, 0, 0, 0));
        header("Content-Type: image/{$_GET['type']}");
        ob_start();
        ['gif' => imagegif(...), 'png' => imagepng(...), 'jpeg' => imagejpeg(...)][$_GET['type']]($image);
        $image = (string) ob_get_clean();
        isset($_GET['n']) ? $flushed($image, (int) $_GET['n']) : print $image;
        break;
    case 'accel':
        foreach (
            ['X-Accel-Redirect: ' . $_GET['to'], 'Content-Type: text/blah', 'Set-Cookie: blah=blah',
                'Content-Disposition: attachment', 'Cache-Control: no-cache', 'Expires: fake', 'Accept-Ranges: parrots',
                'Something: other'] as $line
        ) {
            header($line);
        }
        if (isset($_GET['read'])) {
            file_get_contents('php://input');
        }
        break;
    case 'early':
        header('Link: </style.css>; rel=preload');
        headers_send(103);
        header_remove('Link');
        header('X-Final: yes');
        echo 'SEE-THIS';
        break;
    case 'trailers':
        header('Trailer: X-Trailer, X-Another');
        echo 'SEE-THIS';
        Howdah\trailer('X-Trailer', 'foo');
        Howdah\trailer('X-Another', 'bar');
        break;
    case 'throws':
        throw new RuntimeException('as asked');
    default:
        http_response_code(404);
        echo 'no such act';
}
