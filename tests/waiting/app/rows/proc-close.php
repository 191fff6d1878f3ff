<?php

/** proc_close() waits for a child that has closed its pipes. No limit: the function takes none. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $child = proc_open(['sh', '-c', "exec >&-; sleep $seconds; exit 7"], [1 => ['pipe', 'w']], $pipes);

        return [stream_get_contents($pipes[1]), proc_close($child)];
    }
};
