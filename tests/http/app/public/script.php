<?php

declare(strict_types=1);

echo json_encode([
    'file' => __FILE__,
    'script' => $_SERVER['SCRIPT_NAME'] ?? null,
    'path_info' => $_SERVER['PATH_INFO'] ?? null,
    'self' => $_SERVER['PHP_SELF'] ?? null,
]);
