<?php

// Requests that wait in the middle of a match while others reset opcache. Half of them end at once: a reset
// happens in an idle moment.

declare(strict_types=1);

$number = (int) $_GET['n'];
if ($number % 7 === 0) {
    opcache_reset();
}
if ($number % 40 > 20) {
    echo 'ok';
    return;
}
$slowly = static function (): string {
    usleep(2000);

    return 'y';
};
$text = preg_replace_callback('/x/', $slowly, 'xxxx');
echo $text === 'yyyy' && preg_match('/^o(k)$/', 'ok', $found) === 1 && $found[1] === 'k' ? 'ok' : preg_last_error_msg();
