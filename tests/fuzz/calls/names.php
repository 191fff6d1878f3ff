<?php

/**
 * Tells, as JSON, what may be called.
 */

declare(strict_types=1);

require_once __DIR__ . '/Caller.php';

echo json_encode(Howdah\Fuzz\Calls\Caller::names());
