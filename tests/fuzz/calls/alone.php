<?php

/**
 * What a request called, under php-cli: `php alone.php NAMES-FILE SEED FOLDER CALLS`. Prints each name before it is called.
 */

declare(strict_types=1);

use Howdah\Fuzz\Calls\Caller;

require_once __DIR__ . '/Caller.php';

[, $file, $seed, $folder, $calls] = $argv;
(new Caller($file, $seed, $folder))->run((int) $calls, static function (string $name): void {
    fwrite(STDERR, "$name\n");
});
