<?php

/** rd_kafka_consumer_poll(): a library with threads of its own, through FFI. Limit: its argument. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Ffi\Kafka;
use Howdah\WaitingTests\App\Lasting;

return new class implements Lasting {
    private ?Kafka $kafka = null;

    public function begin(float $seconds): void
    {
        $this->kafka = new Kafka($seconds);
    }

    public function wait(float $seconds): mixed
    {
        $this->kafka?->produce('one');
        $this->kafka?->produce('two');

        return [$this->kafka?->poll(30), $this->kafka?->poll(30), $this->kafka?->flush(10), $this->kafka?->poll(0)];
    }

    public function limit(float $seconds): mixed
    {
        return $this->kafka?->poll($seconds);
    }

    public function end(): void
    {
        $this->kafka = null;
    }
};
