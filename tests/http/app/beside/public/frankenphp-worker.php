<?php

/* The pages of an application; the files beside it are nobody's of them. */

declare(strict_types=1);

$count = 0;

while (
    frankenphp_handle_request(static function () use (&$count): void {
        echo json_encode(['worker', ++$count, $_SERVER['REQUEST_METHOD']]);
    })
) {
}
