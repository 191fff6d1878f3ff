<?php

declare(strict_types=1);

require_once __DIR__ . '/answer.php';

while (frankenphp_handle_request(Howdah\Combined\App\answer(...))) {
}
