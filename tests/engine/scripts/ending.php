<?php

/** Two of three requests wait; the third fails at its end, in a step that its number tells (tests/engine/extension/ending.c). */

declare(strict_types=1);

$answer = static function (): void {
    $number = (int) $_GET['n'];
    if ($number % 3 !== 0) {
        usleep(2000);
        echo "neighbour {$number}\n";

        return;
    }
    ending_fail(['resource', 'object', 'end', 'after', 'none'][intdiv($number, 3) % 5]);
    $GLOBALS['kept'] = [ending_resource(), new Ending(), ending_resource(), new Ending()];
    echo "victim {$number}\n";
    exit;
};
if (Howdah\status()['mode'] === 'classic') {
    $answer();

    return;
}
while (frankenphp_handle_request($answer)) {
}
