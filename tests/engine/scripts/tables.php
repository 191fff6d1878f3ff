<?php

/**
 * Outgrows PHP's tables, in steps with a wait between them, and says whether each holds what this request put there, and
 * nothing of others.
 */

declare(strict_types=1);

$number = (int) $_GET['n'];
$steps = $number % 4 + 1;
$wrong = [];

$before = count(get_defined_constants(true)['user'] ?? []) + count(get_defined_functions()['user']);
if ($before !== 0) {
    $wrong[] = "born with {$before} of others";
}
ini_set('precision', (string) ($number % 17 + 1));

for ($step = 0; $step < $steps; $step++) {
    $code = '';
    for ($i = $step * 1000; $i < ($step + 1) * 1000; $i++) {
        define("TABLES_{$i}", "{$number}.{$i}");
        $code .= "function tables_{$i}() { return '{$number}.{$i}'; }\n";
        if ($i % 5 === 0) {
            $code .= "class Tables{$i} { public static \$value = '{$number}.{$i}'; }\n";
        }
    }
    eval($code);
    usleep(1000 * ($number % 3));
}

for ($i = 0; $i < $steps * 1000; $i++) {
    $expected = "{$number}.{$i}";
    $found = [constant("TABLES_{$i}"), "tables_{$i}"(), $i % 5 === 0 ? "Tables{$i}"::$value : $expected];
    if ($found !== [$expected, $expected, $expected]) {
        $wrong[] = "{$i}: " . implode(' ', $found);
    }
}
$counts = [count(get_defined_constants(true)['user']), count(get_defined_functions()['user'])];
if ($counts !== [$steps * 1000, $steps * 1000]) {
    $wrong[] = 'counts ' . implode(' ', $counts);
}
// What PHP has of its own is found in the slots that grew, and in those that did not.
if (!function_exists('strrev') || !class_exists(ArrayObject::class) || !defined('PHP_INT_MAX')) {
    $wrong[] = "PHP's own are gone";
}
$all = ini_get_all(null, false);
if ((int) ini_get('precision') !== $number % 17 + 1 || $all['precision'] !== ini_get('precision')) {
    $wrong[] = 'precision ' . ini_get('precision');
}

echo $wrong ? "{$number} wrong: " . implode(', ', $wrong) : "{$number} right", "\n";
