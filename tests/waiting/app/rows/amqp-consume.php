<?php

/** php-amqp: consume() until a message comes. Limit: the connection's read_timeout. */

declare(strict_types=1);

use Howdah\WaitingTests\App\AmqpPeer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $channel = new AMQPChannel(AmqpPeer::connect(['read_timeout' => 30]));
        $queue = AmqpPeer::queue($channel);
        AmqpPeer::publishLater($channel, $queue, 'late', $seconds);
        $text = null;
        $queue->consume(static function (AMQPEnvelope $message, AMQPQueue $queue) use (&$text): bool {
            $text = $message->getBody();
            $queue->ack((int) $message->getDeliveryTag());

            return false;
        });
        $queue->cancel();

        return [$text, $queue->get()];
    }

    public function limit(float $seconds): mixed
    {
        $queue = AmqpPeer::queue(new AMQPChannel(AmqpPeer::connect(['read_timeout' => $seconds])));

        return $queue->consume(static fn (): bool => false);
    }
};
