<?php

/** proc_close() of a child that a signal ends, beside one that tells its own end. No limit: the function takes none. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $signalled = proc_open(['sh', '-c', "sleep $seconds; kill -9 \$\$"], [], $pipes);
        $other = proc_open(['sh', '-c', 'exit 3'], [], $pipes);
        $codes = [proc_close($signalled), proc_close($other)];
        $polled = proc_open(['sh', '-c', 'kill -15 $$'], [], $pipes);
        while (($status = proc_get_status($polled))['running']) {
            usleep(1000);
        }

        return [$codes, $status['signaled'], $status['termsig'], $status['exitcode'], proc_close($polled)];
    }
};
