<?php

/** mail(): the program of sendmail_path (peers/sendmail) takes its time, which is its argument. It has no time limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Settings;
use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $file = Settings::folder() . '/mail-' . bin2hex(random_bytes(8));
        $sent = mail('you@localhost', 'Late', "text\n", 'From: me@localhost', "$seconds $file");

        return [$sent, str_replace("\r\n", "\n", (string) file_get_contents($file))];
    }
};
