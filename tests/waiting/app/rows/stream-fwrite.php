<?php

/** fwrite() of more than the kernel takes, to who does not read; stream_set_timeout() is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $stream = Peer::asked("stall $seconds");
        $data = str_repeat('x', 32 << 20) . "\n";

        return [fwrite($stream, $data) === strlen($data), fgets($stream)];
    }

    public function limit(float $seconds): mixed
    {
        $stream = Peer::asked('stall 5');
        stream_set_timeout($stream, (int) $seconds, (int) (fmod($seconds, 1) * 1_000_000));
        $written = @fwrite($stream, str_repeat('x', 32 << 20));

        return [$written < 32 << 20, stream_get_meta_data($stream)['timed_out']];
    }
};
