<?php

/** Classic mode: `?row=NAME&do=wait|limit&seconds=0.3`, `?do=ping|status|pid`; php-cli: `php index.php NAME wait|limit 0.3`. */

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

require_once __DIR__ . '/autoload.php';

if (PHP_SAPI === 'cli') {
    /** @var list<string> $argv */
    echo json_encode(Front::run($argv[1], $argv[2], (float) $argv[3]), JSON_THROW_ON_ERROR);
} else {
    Front::answer();
}
