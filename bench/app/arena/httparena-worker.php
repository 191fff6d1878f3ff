<?php

use Howdah\Bench\App\Arena\HttpArena;

require __DIR__ . '/Entry.php';
require __DIR__ . '/HttpArena.php';

while (frankenphp_handle_request(HttpArena::send(...))) {
}
