<?php

/** foreign.php in worker mode. */

declare(strict_types=1);

while (frankenphp_handle_request(static fn () => require __DIR__ . '/foreign.php')) {
}
