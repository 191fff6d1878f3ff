<?php

/** exec() waits for a child that has closed its output: the wait is in pclose(). No limit: the function takes none. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $last = exec("echo closed; exec >&-; sleep $seconds; exit 7", $lines, $code);

        return [$last, $lines, $code];
    }
};
