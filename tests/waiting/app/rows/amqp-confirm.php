<?php

/** php-amqp: waitForConfirm() after publishing. Limit: its own argument; the channel's end then waits for its rpc_timeout. */

declare(strict_types=1);

use Howdah\WaitingTests\App\AmqpPeer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return $this->publish($seconds, 30, 30);
    }

    public function limit(float $seconds): mixed
    {
        return $this->publish(5, $seconds, 1);
    }

    private function publish(float $seconds, float $limit, float $rpcLimit): mixed
    {
        $channel = new AMQPChannel(AmqpPeer::connect(['rpc_timeout' => $rpcLimit], 'slow'));
        $queue = AmqpPeer::queue($channel);
        $channel->confirmSelect();
        $confirmed = [];
        $channel->setConfirmCallback(static function (int $tag, bool $multiple) use (&$confirmed): bool {
            $confirmed[] = [$tag, $multiple];

            return false;
        });
        (new AMQPExchange($channel))->publish("wait:$seconds:", (string) $queue->getName());
        $channel->waitForConfirm($limit);

        return [$confirmed, (bool) $queue->get(AMQP_AUTOACK)];
    }
};
