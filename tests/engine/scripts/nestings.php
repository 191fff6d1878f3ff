<?php

// Every fourth request (number n) is deep: it recurses without end through what C code calls, or lets C code recurse over what
// is nested deep. The others wait meanwhile. `deep` says how deep a nesting is, `only` leaves all but some out.

declare(strict_types=1);

require_once __DIR__ . '/nestings/endless.php';
require_once __DIR__ . '/nestings/nested.php';

use Howdah\Tests\Engine\Nestings\Endless;
use Howdah\Tests\Engine\Nestings\Nested;

$names = array_merge(
    array_map(static fn (string $name): string => "endless $name", Endless::names()),
    array_map(static fn (string $name): string => "nested $name", Nested::names()),
);
if (isset($_GET['only'])) {
    $names = array_values(array_intersect($names, explode(',', $_GET['only'])));
}
$n = (int) $_GET['n'] - 1;
echo "ok\n";
if ($n % 4 !== 0 || !isset($names[intdiv($n, 4)])) {
    usleep(3000);
    return;
}
$name = $names[intdiv($n, 4)];
error_log("begin $name");
[$kind, $which] = explode(' ', $name, 2);
if (($_GET['in'] ?? '') === 'fiber') {
    (new Fiber(static fn () => $kind === 'endless' ? Endless::run($which) : Nested::run($which, (int) $_GET['deep'])))->start();
} elseif ($kind === 'endless') {
    Endless::run($which);
} else {
    Nested::run($which, (int) $_GET['deep']);
}
error_log("done $name");
