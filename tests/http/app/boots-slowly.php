<?php

declare(strict_types=1);

require_once __DIR__ . '/actions.php';

// While the test keeps it closed.
Howdah\HttpTests\waitAtDoor((string) get_cfg_var('app.door'));

while (frankenphp_handle_request(Howdah\HttpTests\App\act(...))) {
}
