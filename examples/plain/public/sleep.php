<?php

declare(strict_types=1);

$ms = max(0, min(10_000, (int) ($_GET['ms'] ?? 500)));
$begun = hrtime(true);
usleep($ms * 1000);

header('Content-Type: application/json');
echo json_encode(['asked_ms' => $ms, 'took_ms' => intdiv(hrtime(true) - $begun, 1_000_000)], JSON_THROW_ON_ERROR), "\n";
