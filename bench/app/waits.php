<?php

use Howdah\Bench\App\Waits;

require_once __DIR__ . '/Waits.php';

Waits::answer();
