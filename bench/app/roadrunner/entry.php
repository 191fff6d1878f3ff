<?php

/* entry.php PROJECT NAME: an entry of a public benchmark (bench/app/arena/NAME.php) on RoadRunner. */

declare(strict_types=1);

use Howdah\Bench\App\Arena\Entry;
use Spiral\RoadRunner\Http\HttpWorker;
use Spiral\RoadRunner\Worker;

[, $project, $name] = $_SERVER['argv'];
require "$project/vendor/autoload.php";
require dirname(__DIR__) . '/arena/Entry.php';
require dirname(__DIR__) . "/arena/$name.php";

/** @var class-string<Entry> $entry */
$entry = "Howdah\\Bench\\App\\Arena\\$name";
$worker = new HttpWorker(Worker::create());

while (($request = $worker->waitRequest()) !== null) {
    try {
        $path = (string) parse_url($request->uri, PHP_URL_PATH);
        [$type, $text] = $entry::answer($path, $request->query, $request->body === '' ? [] : [$request->body]);
        $worker->respond(200, $text, ['Content-Type' => [$type]]);
    } catch (Throwable $error) {
        $worker->getWorker()->error((string) $error);
    }
}
