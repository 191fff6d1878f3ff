<?php

declare(strict_types=1);

require_once dirname(__DIR__) . '/actions.php';

Howdah\HttpTests\Children\act();
