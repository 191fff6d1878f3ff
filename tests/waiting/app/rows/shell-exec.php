<?php

/** shell_exec() reads what a child says. No limit: the function takes none. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        return shell_exec("echo first; sleep $seconds; echo last");
    }
};
