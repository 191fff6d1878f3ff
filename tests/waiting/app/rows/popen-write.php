<?php

/** popen() for writing more than a pipe holds, to who reads late. No limit: its streams have none. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $pipe = popen("sleep $seconds; test $(wc -c) -eq 1000000; exit $?", 'w');

        return [fwrite($pipe, str_repeat('x', 1_000_000)), pclose($pipe)];
    }
};
