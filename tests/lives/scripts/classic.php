<?php

// The same in classic mode.

declare(strict_types=1);

require_once __DIR__ . '/acts.php';

act($_GET['do'], (int) $_GET['us']);
