<?php

declare(strict_types=1);

require_once __DIR__ . '/parts.php';

while (frankenphp_handle_request(Howdah\HttpTests\Parts\page(...))) {
}
