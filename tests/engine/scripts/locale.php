<?php

/**
 * Requests with locales, text domains, environments and names in the system's log of their own, and others that have none.
 * Prints "own" when each sees its own.
 */

declare(strict_types=1);

$number = (int) $_GET['n'];
$locale = ['C', 'de_DE.UTF-8', 'fr_FR', null][$number % 4];
$tenant = intdiv($number, 4) % 2;
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
    bindtextdomain('howdah', $catalogs = getenv('HOWDAH_TEST_CATALOGS') . '/' . $tenant);
    bind_textdomain_codeset('howdah', 'UTF-8');
    // 9 hours before Greenwich, or after it.
    putenv('TZ=TEST' . ['-9', '+9'][$tenant]);
    openlog("own$number", LOG_PERROR, LOG_LOCAL0);
}
$clock = new SQLite3(':memory:');
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
        'catalog' => $locale === null ? null : bindtextdomain('howdah', null),
        'codeset' => $locale === null ? null : bind_textdomain_codeset('howdah', null),
        'word' => dgettext('howdah', 'word'),
        'hour' => $clock->querySingle("SELECT strftime('%H', 0, 'unixepoch', 'localtime')"),
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
        'catalog' => $locale === null ? null : $catalogs,
        'codeset' => $locale === null ? null : 'UTF-8',
        'word' => $locale === null || $locale === 'C' ? 'word' : "w\u{f6}rd of $tenant",
        'hour' => $locale === null ? '00' : ['09', '15'][$tenant],
    ];
    syslog(LOG_INFO, "of $number"); // to standard error, where the log was opened so
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
