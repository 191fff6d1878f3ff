<?php

/* $name: an entry of a public benchmark on Swoole, without coroutines: each worker has one connection to PostgreSQL. */

declare(strict_types=1);

use Howdah\Bench\App\Arena\Entry;

require __DIR__ . '/server.php';
require dirname(__DIR__) . '/arena/Entry.php';
require dirname(__DIR__) . "/arena/$name.php";

/** @var class-string<Entry> $entry */
$entry = "Howdah\\Bench\\App\\Arena\\$name";

serve(static function (Swoole\Http\Request $request, Swoole\Http\Response $answer) use ($entry): void {
    $body = (string) $request->getContent();
    [$type, $text] = $entry::answer($request->server['request_uri'], $request->get ?? [], $body === '' ? [] : [$body]);
    $answer->header('Content-Type', $type);
    $answer->end($text);
});
