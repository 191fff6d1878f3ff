<?php

use Howdah\Bench\App\Waits;

require __DIR__ . '/Waits.php';

while (frankenphp_handle_request(Waits::answer(...))) {
}
