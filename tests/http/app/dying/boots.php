<?php

/** A worker script whose boot waits, also for the test's door, and fails as long as a file says how. */

declare(strict_types=1);

require_once __DIR__ . '/requests.php';
require_once dirname(__DIR__, 2) . '/door.php';

$settings = explode(':', (string) get_cfg_var('dying.boot'));
Howdah\HttpTests\waitAtDoor($settings[0] . '-door');
usleep(20_000);
$how = (string) @file_get_contents($settings[0]);
if ($how !== '') {
    $how = 'Howdah\\HttpTests\\Dying\\' . str_replace('-', '_', $how);
    $how();
}
usleep(20_000);
touch($settings[0] . '-booted-' . uniqid(more_entropy: true));

while (frankenphp_handle_request(Howdah\HttpTests\Dying\serve(...))) {
}
