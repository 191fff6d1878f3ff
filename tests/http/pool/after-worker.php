<?php

declare(strict_types=1);

namespace Howdah\HttpTests\Pool;

use function Howdah\HttpTests\computeAtDoor;
use function Howdah\HttpTests\stickAtCork;
use function Howdah\HttpTests\waitAtDoor;

require __DIR__ . '/actions.php';

/** A script that does what is left to be done when its client has the answer: ?after=wait, compute or stick, until the test opens at=DOOR. */
$after = ['', ''];
$handler = static function () use (&$after): void {
    $after = array_map(static fn (string $name) => is_string($_GET[$name] ?? null) ? $_GET[$name] : '', ['after', 'at']);
    echo 'answered';
};

while (frankenphp_handle_request($handler)) {
    [$what, $door] = $after;
    match ($what) {
        'wait' => waitAtDoor($door),
        'compute' => computeAtDoor($door),
        'stick' => stickAtCork($door),
        default => null,
    };
}
