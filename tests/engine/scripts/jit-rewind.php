<?php

// Each request runs a function of its own until opcache's JIT compiles it, and says how much code there is then.

require getenv('HOWDAH_TEST_HOT');

while (
    frankenphp_handle_request(static function (): void {
        ('hot_' . $_GET['n'] % 100)(range(1, 300));
        $jit = opcache_get_status(false)['jit'];
        echo $jit['buffer_size'] - $jit['buffer_free'], "\n";
    })
) {
}
