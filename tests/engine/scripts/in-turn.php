<?php

// One of these scripts after the other, by the request's number.

declare(strict_types=1);

require __DIR__ . '/' . ['classic', 'wait', 'folder', 'databases'][(int) $_GET['n'] % 4] . '.php';
