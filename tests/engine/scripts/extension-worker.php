<?php

/** The extension `made` of tests/engine/extension in worker mode. */

declare(strict_types=1);

$handle = static function (): void {
    $most = made_enter();
    usleep(2000);
    made_leave();
    echo $most, "\n";
};

while (frankenphp_handle_request($handle)) {
}
