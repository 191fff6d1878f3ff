<?php

declare(strict_types=1);

require_once __DIR__ . '/requests.php';

while (frankenphp_handle_request(Howdah\HttpTests\Dying\serve(...))) {
    gc_collect_cycles();
}
