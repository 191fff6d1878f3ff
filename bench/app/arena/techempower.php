<?php

use Howdah\Bench\App\Arena\TechEmpower;

require_once __DIR__ . '/Entry.php';
require_once __DIR__ . '/TechEmpower.php';

TechEmpower::send();
