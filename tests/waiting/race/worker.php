<?php

declare(strict_types=1);

require __DIR__ . '/actions.php';

while (frankenphp_handle_request(Howdah\WaitingTests\Race\act(...))) {
}
