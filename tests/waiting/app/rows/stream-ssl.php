<?php

/** ssl:// and fgets(); stream_set_timeout() is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return fgets(Peer::asked("halves $seconds a line in two parts", 'ssl://localhost:' . Peer::setting('tls')));
    }

    public function limit(float $seconds): mixed
    {
        $stream = Peer::asked('echo 5 late', 'ssl://localhost:' . Peer::setting('tls'));
        stream_set_timeout($stream, (int) $seconds, (int) (fmod($seconds, 1) * 1_000_000));

        return [fgets($stream), stream_get_meta_data($stream)['timed_out']];
    }
};
