<?php

/** A worker that says once, while it boots, how sessions are kept. */

declare(strict_types=1);

require_once __DIR__ . '/actions.php';

session_set_save_handler(new Howdah\SessionTests\App\Store(), true);

while (frankenphp_handle_request(Howdah\SessionTests\App\act(...))) {
    gc_collect_cycles();
}
