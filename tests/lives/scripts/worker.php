<?php

// A worker script that boots, serves and ends in every way (../walk.c).

declare(strict_types=1);

require_once __DIR__ . '/acts.php';

switch (file_get_contents(getenv('HOWDAH_WALK') . '/boot')) {
    case 'fail':
        exit(1);
    case 'slow':
        usleep(4_000_000);
        break;
    case 'hang':
        stay();
        break;
    case 'late':
        closing_connect((int) getenv('HOWDAH_WALK_PORT'));
        exit(1);
}

$pause = 0;
$handler = static function () use (&$pause): void {
    $us = (int) $_GET['us'];
    $pause = $_GET['do'] === 'after' ? $us : 0;
    act($_GET['do'], $us);
};
while (frankenphp_handle_request($handler)) {
    if ($pause > 0) {
        usleep($pause);
    }
}
