<?php

/** phpredis: connect to a server that takes no connections. The wait is the time limit of connect() itself. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        try {
            return $this->limit($seconds);
        } catch (RedisException $exception) {
            return $exception->getMessage();
        }
    }

    public function limit(float $seconds): mixed
    {
        ['host' => $host, 'port' => $port] = Settings::of('Full');

        return (new Redis())->connect($host, (int) $port, $seconds);
    }
};
