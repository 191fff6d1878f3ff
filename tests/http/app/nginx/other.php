<?php

/** Another application beside the first, with the same names. */

declare(strict_types=1);

namespace Howdah\HttpTests\Nginx;

require_once dirname(__DIR__, 2) . '/door.php';

function act(): void
{
    \Howdah\HttpTests\waitAtDoor($_GET['at'] ?? '');
    echo 'the other application';
}

while (frankenphp_handle_request(act(...))) {
}
