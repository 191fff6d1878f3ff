<?php

/**
 * Writes through a filter to a socket (/?port=) that outlives the request, and shuts it down: the next request finds it dead.
 * In the first one (&i=0) what belongs to the request lies behind what fills the heap; in all others something lies there.
 */

declare(strict_types=1);

$answer = static function (): void {
    $port = is_numeric($_GET['port'] ?? null) ? (int) $_GET['port'] : 0;
    $GLOBALS['filler'] = ($_GET['i'] ?? '') === '0'
        ? array_map(static fn (int $i): string => str_repeat(chr($i % 255), 6), range(1, 20_000))
        : str_repeat("\1", 1_500_000);
    $socket = pfsockopen('tcp://127.0.0.1', $port, timeout: 5.0) ?: throw new RuntimeException('no connection');
    stream_filter_append($socket, 'string.toupper');
    echo fwrite($socket, "said\n"), "\n";
    stream_socket_shutdown($socket, STREAM_SHUT_RDWR);
};

while (frankenphp_handle_request($answer)) {
}
