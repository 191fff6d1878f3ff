<?php

declare(strict_types=1);

use Howdah\Bench\App\SmallApplication;

require_once __DIR__ . '/SmallApplication.php';

(new SmallApplication())->handle();
