<?php

/** pclose() waits for a child that has closed its output. No limit: the function takes none. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $pipe = popen("exec >&-; sleep $seconds; exit 7", 'r');

        return [fgets($pipe), pclose($pipe)];
    }
};
