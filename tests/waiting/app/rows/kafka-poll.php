<?php

/** rd_kafka_consumer_poll(): a library with threads of its own, through FFI. Limit: its argument. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Ffi\Kafka;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $kafka = new Kafka($seconds);
        $kafka->produce('one');
        $kafka->produce('two');

        return [$kafka->poll(30), $kafka->poll(30), $kafka->flush(10), $kafka->poll(0)];
    }

    public function limit(float $seconds): mixed
    {
        return (new Kafka(0))->poll($seconds);
    }
};
