<?php

declare(strict_types=1);

namespace Howdah\Combined\App;

require_once __DIR__ . '/answer.php';

answer();
