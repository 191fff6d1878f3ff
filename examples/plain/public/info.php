<?php

declare(strict_types=1);

require_once __DIR__ . '/../src/Page.php';

$rows = [
    'PHP' => PHP_VERSION . ', ' . PHP_SAPI,
    'Process' => (string) getmypid(),
    'Script' => $_SERVER['SCRIPT_FILENAME'] ?? '',
    'Worker mode' => isset($_SERVER['FRANKENPHP_WORKER']) ? 'yes' : 'no',
    'Memory limit' => (string) ini_get('memory_limit'),
];
if (function_exists('Howdah\status')) {
    foreach (Howdah\status() as $name => $value) {
        $rows["Howdah: {$name}"] = (string) $value;
    }
}

Page::begin('This request');
echo "<table>\n";
foreach ($rows as $name => $value) {
    echo '<tr><th>', Page::escape($name), '</th><td>', Page::escape($value), "</td></tr>\n";
}
echo "</table>\n";
Page::end();
