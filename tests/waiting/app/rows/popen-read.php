<?php

/** popen() and fgets(), then pclose() for the exit code. No limit: its streams have none. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $pipe = popen("sleep $seconds; echo said; exit 7", 'r');

        return [fgets($pipe), fgets($pipe), pclose($pipe)];
    }
};
