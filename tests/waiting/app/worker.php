<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

require_once __DIR__ . '/autoload.php';

while (frankenphp_handle_request(Front::answer(...))) {
}
