<?php

use Howdah\Bench\App\Arena\HttpArena;

require_once __DIR__ . '/Entry.php';
require_once __DIR__ . '/HttpArena.php';

HttpArena::send();
