<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

use AMQPChannel;
use AMQPConnection;
use AMQPExchange;
use AMQPQueue;

/** What rows need of RabbitMQ: connections, a queue, a message that comes later. */
final class AmqpPeer
{
    /** @param array<string, float> $limits of AMQPConnection's constructor: connect_timeout, read_timeout, rpc_timeout */
    public static function connect(array $limits, string $by = 'port'): AMQPConnection
    {
        $settings = Settings::of('RabbitMq');
        $where = ['host' => $settings['host'], 'port' => (int) $settings[$by], 'login' => 'guest', 'password' => 'guest'];
        $connection = new AMQPConnection($where + $limits);
        $connection->connect();

        return $connection;
    }

    /** An empty queue that goes with its connection. */
    public static function queue(AMQPChannel $channel): AMQPQueue
    {
        $queue = new AMQPQueue($channel);
        $queue->setFlags(AMQP_EXCLUSIVE);
        $queue->declareQueue();

        return $queue;
    }

    /** Publishes to a queue in which nobody reads; when the message's time is over RabbitMQ moves it to $target. */
    public static function publishLater(AMQPChannel $channel, AMQPQueue $target, string $text, float $seconds): void
    {
        $side = new AMQPQueue($channel);
        $side->setFlags(AMQP_EXCLUSIVE);
        $side->setArguments([
            'x-message-ttl' => (int) ceil($seconds * 1000),
            'x-dead-letter-exchange' => '',
            'x-dead-letter-routing-key' => (string) $target->getName(),
        ]);
        $side->declareQueue();
        (new AMQPExchange($channel))->publish($text, (string) $side->getName());
    }
}
