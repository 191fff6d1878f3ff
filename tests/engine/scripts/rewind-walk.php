<?php

/**
 * The property test's walk in a realm that is rewound, over all checks but those that a realm is replaced for: then nothing
 * would have been rewound.
 */

declare(strict_types=1);

use Howdah\Tests\Isolation\Checks;
use Howdah\Tests\Isolation\Probe;

require_once dirname(__DIR__, 2) . '/property/Walk.php';

const REPLACED = ['assert', 'mbstring', 'opcache settings', 'opcache off', 'gd', 'mb_ereg', 'environment', 'text domain'];

$names = [];
foreach (get_declared_classes() as $class) {
    if (is_subclass_of($class, Checks::class)) {
        $names = [...$names, ...array_keys((new $class(new Probe('names', 0, static fn () => null)))->checks())];
    }
}
$only = implode(',', array_diff($names, REPLACED));
unset($names, $class);

while (
    frankenphp_handle_request(static function () use ($only): void {
        $_GET['only'] = $only;
        require dirname(__DIR__, 2) . '/property/realm.php';
    })
) {
}
