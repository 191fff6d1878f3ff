<?php

declare(strict_types=1);

require_once dirname(__DIR__) . '/parts.php';

Howdah\HttpTests\Parts\page();
