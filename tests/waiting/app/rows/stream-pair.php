<?php

/** stream_socket_pair() with a child at the other end; stream_set_timeout() is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        [$near, $far] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        $child = proc_open(['sh', '-c', "sleep $seconds; echo from the child"], [1 => $far], $pipes);
        fclose($far);

        return [fgets($near), fgets($near), proc_close($child)];
    }

    public function limit(float $seconds): mixed
    {
        [$near, $far] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        stream_set_timeout($near, (int) $seconds, (int) (fmod($seconds, 1) * 1_000_000));

        return [fgets($near), stream_get_meta_data($near)['timed_out'], fclose($far)];
    }
};
