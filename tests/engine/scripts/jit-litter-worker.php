<?php

// Each request runs a function of its own until opcache's JIT compiles it, and lets all others do so meanwhile.

require getenv('HOWDAH_TEST_HOT');

while (
    frankenphp_handle_request(static function (): void {
        $hot = 'hot_' . $_GET['n'] % 100;
        foreach ([range(1, 300), array_map(strval(...), range(1, 300)), range(1, 300)] as $all) {
            $hot($all);
        }
        usleep(20_000);
        echo 'ok';
    })
) {
}
