<?php

declare(strict_types=1);

require_once dirname(__DIR__) . '/requests.php';

Howdah\HttpTests\Ends\serve();
