<?php

declare(strict_types=1);

require_once __DIR__ . '/Node.php';
require_once __DIR__ . '/actions.php';

usleep((int) Howdah\HttpTests\Pool\setting('boot_ms') * 1000);
if (is_file(Howdah\HttpTests\Pool\setting('broken'))) {
    throw new RuntimeException('the application is broken');
}

while (frankenphp_handle_request(Howdah\HttpTests\Pool\act(...))) {
}
