<?php

/**
 * grpc_completion_queue_next(): gRPC's C core polls in PHP's thread, for all its channels. Limit: its argument.
 *
 * One at a time: a second realm of the worker waits in Abseil, with the futex that belongs to its thread, and that holds the
 * worker until its own time is over.
 */

declare(strict_types=1);

use Howdah\WaitingTests\App\Ffi\Grpc;
use Howdah\WaitingTests\App\Lasting;
use Howdah\WaitingTests\App\Late;

return new class implements Lasting {
    private ?Grpc $grpc = null;

    public function begin(float $seconds): void
    {
        $this->grpc = new Grpc('127.0.0.1:' . Late::silentPort());
    }

    public function wait(float $seconds): mixed
    {
        return [$this->grpc?->connect($seconds), $this->grpc?->next(30), $this->grpc?->next(0)];
    }

    public function limit(float $seconds): mixed
    {
        return [$this->grpc?->connect(5), $this->grpc?->next($seconds)];
    }

    public function end(): void
    {
        $this->grpc = null;
    }
};
