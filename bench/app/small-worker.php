<?php

declare(strict_types=1);

use Howdah\Bench\App\SmallApplication;

require_once __DIR__ . '/SmallApplication.php';

$application = new SmallApplication();

while (frankenphp_handle_request($application->handle(...))) {
}
