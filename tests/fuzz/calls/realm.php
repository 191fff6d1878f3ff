<?php

/**
 * A request: ?id=r7&seed=1&folder=/tmp/x. One of two calls at random; the other walks over its own values (../../property).
 */

declare(strict_types=1);

use Howdah\Fuzz\Calls\Caller;
use Howdah\Tests\Property\Walk;

require_once __DIR__ . '/Caller.php';
require_once __DIR__ . '/../../property/Walk.php';

(static function (): void {
    $text = static fn (string $key): string => is_string($_GET[$key] ?? null) ? $_GET[$key] : '';
    [$id, $seed, $folder] = [$text('id'), $text('seed'), $text('folder')];
    if ((int) substr($id, 1) % 2 === 0) {
        mkdir("$folder/$id");
        (new Caller("$folder/names.json", "$seed.$id", "$folder/$id"))->run((int) $text('calls'), static function (): void {
        });

        return;
    }
    $found = (new Walk($id, (int) $seed))->run((int) $text('steps'));
    echo "\n", json_encode(['walk' => $id, ...$found], JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
})();
