<?php

/**
 * grpc_completion_queue_next(): gRPC's C core polls in PHP's thread, for all its channels. Limit: its argument.
 *
 * One at a time: a second realm of the worker waits in Abseil, with the futex that belongs to its thread, and that holds the
 * worker until its own time is over.
 */

declare(strict_types=1);

use Howdah\WaitingTests\App\Ffi\Grpc;
use Howdah\WaitingTests\App\Late;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $grpc = new Grpc('127.0.0.1:' . Late::silentPort());

        return [$grpc->connect($seconds), $grpc->next(30), $grpc->next(0)];
    }

    public function limit(float $seconds): mixed
    {
        $grpc = new Grpc('127.0.0.1:' . Late::silentPort());

        return [$grpc->connect(5), $grpc->next($seconds)];
    }
};
