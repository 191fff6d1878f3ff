<?php

declare(strict_types=1);

require __DIR__ . '/actions.php';

Howdah\WaitingTests\Race\act();
