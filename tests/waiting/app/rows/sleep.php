<?php

/** sleep() takes whole seconds; what is left of $seconds is nothing. It waits that long: there is nothing to limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        return sleep((int) ceil($seconds));
    }
};
