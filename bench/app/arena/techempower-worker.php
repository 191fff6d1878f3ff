<?php

use Howdah\Bench\App\Arena\TechEmpower;

require __DIR__ . '/Entry.php';
require __DIR__ . '/TechEmpower.php';

while (frankenphp_handle_request(TechEmpower::send(...))) {
}
