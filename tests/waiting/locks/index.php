<?php

declare(strict_types=1);

require_once __DIR__ . '/actions.php';

Howdah\WaitingTests\Locks\act();
