<?php

/** Requests with locales and environments of their own, and others that have none. Prints "own" when each sees its own. */

declare(strict_types=1);

$number = (int) $_GET['n'];
$locale = ['C', 'de_DE.UTF-8', 'fr_FR', null][$number % 4];
$point = [1 => ',', 2 => ','][$number % 4] ?? '.';
$before = setlocale(LC_ALL, '0');
$wrong = [];

if ($locale !== null && setlocale(LC_ALL, 'no_SUCH', $locale) !== $locale) {
    $wrong[] = "setlocale() does not give $locale";
}
if ($locale !== null) {
    putenv("OWN=$number");
    putenv('SHARED_NAME=from the request');
    textdomain("domain$number");
}
for ($i = 0; $i < 3; ++$i) {
    usleep(500);
    $seen = [
        'locale' => setlocale(LC_ALL, '0'),
        'numbers' => setlocale(LC_NUMERIC, '0'),
        'point' => localeconv()['decimal_point'],
        'order' => strcoll("\xe9", 'f') < 0,
        'name' => getenv('OWN'),
        'all' => getenv()['OWN'] ?? false,
        'outside' => getenv('SHARED_NAME'),
        'domain' => textdomain(null),
    ];
    $expected = [
        'locale' => $locale ?? $before,
        'numbers' => $locale ?? 'C',
        'point' => $point,
        'order' => $point === ',',
        'name' => $locale === null ? false : (string) $number,
        'all' => $locale === null ? false : (string) $number,
        'outside' => $locale === null ? 'from outside' : 'from the request',
        'domain' => $locale === null ? 'messages' : "domain$number",
    ];
    if ($seen !== $expected) {
        $wrong[] = json_encode(['seen' => array_diff_assoc($seen, $expected), 'expected' => $expected]);
    }
}
$child = trim((string) shell_exec('echo "$OWN"'));
if ($child !== ($locale === null ? '' : (string) $number)) {
    $wrong[] = "a child process sees \"$child\"";
}
if ($number % 2 === 1 && $locale !== null) {
    setlocale(LC_ALL, 'C');
    putenv('OWN');
    if (getenv('OWN') !== false || localeconv()['decimal_point'] !== '.') {
        $wrong[] = 'it does not go away';
    }
}
echo $wrong === [] ? 'own' : implode("\n", $wrong);
