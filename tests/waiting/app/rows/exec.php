<?php

/** exec() reads what a child says, and has its exit code. No limit: the function takes none. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $last = exec("echo first; sleep $seconds; echo last; exit 7", $lines, $code);
        exec('kill -9 $$', $none, $signalled);

        return [$last, $lines, $code, $signalled];
    }
};
