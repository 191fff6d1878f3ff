<?php

// Boots that do not: HOWDAH_TEST_BOOTS says how. Of those that fail some times, a file for each time is left in TMPDIR.

[$how, $value] = explode(':', getenv('HOWDAH_TEST_BOOTS') ?: ':');
$isFirst = @fopen(sys_get_temp_dir() . '/first', 'x') !== false;
if ($how === 'hangs' || ($how === 'stays' && $isFirst)) {
    if ($how === 'stays') {
        register_shutdown_function(static function (): void {
            sleep(3600);
        });
    }
    $socket = stream_socket_client("tcp://127.0.0.1:$value");
    fread($socket, 1);
}
for ($time = 0; $how === 'fails' && $time < (int) $value; $time++) {
    if (@fopen(sys_get_temp_dir() . "/time-$time", 'x') !== false) {
        throw new RuntimeException("time $time");
    }
}
while (
    frankenphp_handle_request(static function (): void {
        echo 'served';
    })
) {
}
