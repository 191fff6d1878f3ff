<?php

declare(strict_types=1);

require_once __DIR__ . '/actions.php';

while (frankenphp_handle_request(Howdah\HttpTests\Children\act(...))) {
}
