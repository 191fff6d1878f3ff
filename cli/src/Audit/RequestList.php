<?php

declare(strict_types=1);

namespace Howdah\Cli\Audit;

use Howdah\Cli\Failure;

/**
 * A file of requests, one a line: method, path, and where there is one a body, to the end of the line or, as `@FILE`, from a
 * file (its path is the list's folder's, if it is relative).
 * Lines that begin with a space or tab are headers of the request above. Empty lines and those that begin with # mean nothing.
 *
 *     GET /
 *     POST /login name=guest&password=guest
 *     PUT /api/cart/1 {"amount": 2}
 *       Authorization: Bearer abc
 *     POST /upload @photo.jpg
 *       Content-Type: image/jpeg
 *
 * Without a Content-Type, a body is JSON if it is valid as such, else a form.
 */
final readonly class RequestList
{
    /** @return list<Request> */
    public static function read(string $file): array
    {
        $text = is_file($file) ? @file_get_contents($file) : false;
        if ($text === false) {
            throw new Failure("--requests=$file cannot be read: name a file with a request a line, as in `GET /page`");
        }
        $requests = [];
        foreach (preg_split('/\R/', $text) ?: [] as $index => $line) {
            $where = "$file, line " . $index + 1;
            if (trim($line) === '' || trim($line)[0] === '#') {
                continue;
            }
            if ($line[0] === ' ' || $line[0] === "\t") {
                $last = array_pop($requests) ?? throw new Failure("$where: a header, but no request above it");
                $requests[] = self::withHeader($last, trim($line), $where);
            } else {
                $requests[] = self::request(rtrim($line), dirname($file), $where);
            }
        }
        if ($requests === []) {
            throw new Failure("--requests=$file has no request in it: write one a line, as in `GET /page`");
        }

        return array_map(self::withType(...), $requests);
    }

    private static function request(string $line, string $folder, string $where): Request
    {
        if (preg_match('~^(?<method>[A-Z]+)\s+(?<path>/\S*)(?:\s+(?<body>\S.*))?$~D', $line, $match) !== 1) {
            throw new Failure("$where: `$line` is no request: write a method, a path that begins with /, and perhaps a body,"
                . ' as in `GET /page` or `POST /login name=guest`');
        }
        $body = $match['body'] ?? null;
        if ($body !== null && $body[0] === '@') {
            $file = substr($body, 1);
            $path = str_starts_with($file, '/') ? $file : "$folder/$file";
            $body = is_file($path) ? @file_get_contents($path) : false;
            if ($body === false) {
                throw new Failure("$where: the body's file $path cannot be read");
            }
        }

        return new Request($match['method'], preg_replace('/#.*$/', '', $match['path']) ?? '/', [], $body);
    }

    private static function withHeader(Request $request, string $header, string $where): Request
    {
        if (preg_match('/^[A-Za-z0-9!#$%&\'*+.^_`|~-]+:/', $header) !== 1) {
            throw new Failure("$where: `$header` is no header: write `Name: value`, or begin a request at the line's start");
        }

        return new Request($request->method, $request->path, [...$request->headers, $header], $request->body);
    }

    private static function withType(Request $request): Request
    {
        if ($request->body === null || preg_grep('/^content-type:/i', $request->headers) !== []) {
            return $request;
        }
        json_decode($request->body);
        $type = json_last_error() === JSON_ERROR_NONE ? 'application/json' : 'application/x-www-form-urlencoded';

        return new Request($request->method, $request->path, [...$request->headers, "Content-Type: $type"], $request->body);
    }
}
