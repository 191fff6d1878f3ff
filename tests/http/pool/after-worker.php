<?php

declare(strict_types=1);

namespace Howdah\HttpTests\Pool;

require __DIR__ . '/actions.php';

/** A script that does what is left to be done when its client has the answer: ?after=wait, compute or block, for n milliseconds. */
$after = ['', 0];
$handler = static function () use (&$after): void {
    $what = is_string($_GET['after'] ?? null) ? $_GET['after'] : '';
    $after = [$what, number('n')];
    echo 'answered';
};

while (frankenphp_handle_request($handler)) {
    [$what, $ms] = $after;
    match ($what) {
        'wait' => waitFor($ms),
        'compute' => compute($ms),
        'block' => block($ms),
        default => null,
    };
}
