<?php

/** A child behind pipes, read with fgets() and stream_get_contents(), and its exit code. No limit: pipes have none. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $script = "read word; sleep $seconds; echo \$word; echo error >&2; exit 7";
        $child = proc_open(['sh', '-c', $script], [['pipe', 'r'], ['pipe', 'w'], ['pipe', 'w']], $pipes);
        fwrite($pipes[0], "hello\n");
        $said = [fgets($pipes[1]), stream_get_contents($pipes[2])];

        return [$said, proc_close($child)];
    }
};
