<?php

declare(strict_types=1);

namespace Howdah\HttpTests\App;

use function Howdah\HttpTests\waitAtDoor;

require_once dirname(__DIR__, 3) . '/door.php';

/** How often it was called since the script began. */
function times(): int
{
    static $times = 0;

    return ++$times;
}

$door = $_GET['at'] ?? '';
waitAtDoor(is_string($door) ? $door : '');
echo json_encode([
    'health',
    times(),
    $_SERVER['REQUEST_METHOD'] ?? null,
    file_get_contents('php://input'),
    $_SERVER['SCRIPT_NAME'] ?? null,
    $_SERVER['PATH_INFO'] ?? null,
]);
