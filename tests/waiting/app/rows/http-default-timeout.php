<?php

/** fopen() of http:// and stream_get_contents(); default_socket_timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $stream = fopen(Peer::url('body', $seconds), 'r');

        return [stream_get_contents($stream), stream_get_meta_data($stream)['timed_out']];
    }

    public function limit(float $seconds): mixed
    {
        $before = ini_set('default_socket_timeout', (string) ceil($seconds));
        try {
            $stream = fopen(Peer::url('body', 5), 'r');

            return [stream_get_contents($stream), stream_get_meta_data($stream)['timed_out']];
        } finally {
            ini_set('default_socket_timeout', $before);
        }
    }
};
