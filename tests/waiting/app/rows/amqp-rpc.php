<?php

/** php-amqp: a call (declare a queue) that is answered late. Limit: the connection's rpc_timeout. */

declare(strict_types=1);

use Howdah\WaitingTests\App\AmqpPeer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return $this->declare(['rpc_timeout' => 30], $seconds);
    }

    public function limit(float $seconds): mixed
    {
        return $this->declare(['rpc_timeout' => $seconds], 5);
    }

    /** @param array<string, float> $limits */
    private function declare(array $limits, float $seconds): int
    {
        $queue = new AMQPQueue(new AMQPChannel(AmqpPeer::connect($limits, 'slow')));
        $queue->setName("wait:$seconds:" . bin2hex(random_bytes(8)));
        $queue->setFlags(AMQP_EXCLUSIVE);

        return $queue->declareQueue();
    }
};
