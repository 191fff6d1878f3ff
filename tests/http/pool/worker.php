<?php

declare(strict_types=1);

require_once __DIR__ . '/Node.php';
require_once __DIR__ . '/actions.php';

Howdah\HttpTests\waitAtDoor(Howdah\HttpTests\Pool\setting('door'));
if (is_file(Howdah\HttpTests\Pool\setting('broken'))) {
    throw new RuntimeException('the application is broken');
}

while (frankenphp_handle_request(Howdah\HttpTests\Pool\act(...))) {
}
