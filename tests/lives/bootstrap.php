<?php

declare(strict_types=1);

require_once __DIR__ . '/../tools/vendor/autoload.php';
require_once __DIR__ . '/Walk.php';
require_once __DIR__ . '/Mutant.php';
