<?php

declare(strict_types=1);

require_once __DIR__ . '/actions.php';

usleep(600_000);

while (frankenphp_handle_request(Howdah\HttpTests\App\act(...))) {
}
