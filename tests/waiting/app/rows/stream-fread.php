<?php

/** fread() of a stream whose time limit is default_socket_timeout. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return fread(Peer::asked("echo $seconds answer"), 100);
    }

    public function limit(float $seconds): mixed
    {
        $before = ini_set('default_socket_timeout', (string) ceil($seconds));
        try {
            $stream = Peer::asked('echo 5 late');

            return [fread($stream, 100), stream_get_meta_data($stream)['timed_out']];
        } finally {
            ini_set('default_socket_timeout', $before);
        }
    }
};
