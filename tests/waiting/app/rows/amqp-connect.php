<?php

/** php-amqp: connect to a server that takes no connections. The wait is connect_timeout itself. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        try {
            return $this->limit($seconds);
        } catch (AMQPConnectionException $exception) {
            return $exception->getMessage();
        }
    }

    public function limit(float $seconds): mixed
    {
        ['host' => $host, 'port' => $port] = Settings::of('Full');

        return (new AMQPConnection(['host' => $host, 'port' => (int) $port, 'connect_timeout' => $seconds]))->connect();
    }
};
