<?php

/** defaults.php in worker mode. */

declare(strict_types=1);

$before = getenv();
$handler = static function () use ($before): void {
    require __DIR__ . '/defaults.php';
    foreach (['TZ', 'LC_ALL', 'XML_CATALOG_FILES'] as $name) {
        putenv("$name={$before[$name]}");
    }
    setlocale(LC_ALL, 'C');
    setlocale(LC_CTYPE, 'C.UTF-8');
};
while (frankenphp_handle_request($handler)) {
}
