<?php

/** phpredis: BRPOPLPUSH over a Unix socket. Limit: the read timeout given to connect(). */

declare(strict_types=1);

use Howdah\WaitingTests\App\RedisPeer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $key = RedisPeer::key();
        $redis = $this->connect(0);
        $other = RedisPeer::later($seconds, "RPUSH $key pushed");

        return [$redis->brpoplpush($key, "$key-2", 30), $redis->lLen($key), $redis->lLen("$key-2"), fclose($other)];
    }

    public function limit(float $seconds): mixed
    {
        return $this->connect($seconds)->brpoplpush(RedisPeer::key(), RedisPeer::key(), 5);
    }

    private function connect(float $readTimeout): Redis
    {
        $redis = new Redis();
        $redis->connect(RedisPeer::setting('socket'), 0, 0, null, 0, $readTimeout);

        return $redis;
    }
};
