<?php

/** Another application beside the first, with the same names. */

declare(strict_types=1);

namespace Howdah\HttpTests\Nginx;

function act(): void
{
    usleep((int) ($_GET['ms'] ?? 0) * 1000);
    echo 'the other application';
}

while (frankenphp_handle_request(act(...))) {
}
