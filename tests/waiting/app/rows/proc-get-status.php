<?php

/** proc_get_status() asks again and again, between naps; the program's own count is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $child = proc_open(['sh', '-c', "sleep $seconds; exit 5"], [], $pipes);
        while (($status = proc_get_status($child))['running']) {
            usleep(5000);
        }

        return [$status['exitcode'], $status['signaled'], proc_close($child)];
    }

    public function limit(float $seconds): mixed
    {
        $child = proc_open(['sleep', '5'], [], $pipes);
        $until = hrtime(true) + $seconds * 1e9;
        while (($status = proc_get_status($child))['running'] && hrtime(true) < $until) {
            usleep(5000);
        }
        proc_terminate($child);

        return [$status['running'], proc_close($child)];
    }
};
