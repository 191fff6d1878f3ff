<?php

/** session_start() while another process has the session. It has no time limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Holder;
use Howdah\WaitingTests\App\Settings;
use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $file = Holder::file('sess_');
        file_put_contents($file, 'count|i:41;');
        $holder = Holder::hold('flock', $file, $seconds);
        session_save_path(Settings::folder());
        session_id(substr(basename($file), strlen('sess_')));
        $started = session_start(['use_strict_mode' => false, 'use_cookies' => false, 'cache_limiter' => '']);
        $_SESSION['count']++;

        return [$started, $_SESSION, session_write_close(), file_get_contents($file), fclose($holder)];
    }
};
