<?php

/** phpredis: BLPOP over a persistent connection, which the next request of the realm uses again. Limit: OPT_READ_TIMEOUT. */

declare(strict_types=1);

use Howdah\WaitingTests\App\RedisPeer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $key = RedisPeer::key();
        $redis = $this->connect(-1);
        $other = RedisPeer::later($seconds, "RPUSH $key pushed");

        return [$redis->blPop([$key], 30)[1], $redis->getPersistentID(), fclose($other)];
    }

    public function limit(float $seconds): mixed
    {
        return $this->connect($seconds)->blPop([RedisPeer::key()], 5);
    }

    private function connect(float $readTimeout): Redis
    {
        $redis = new Redis();
        $redis->pconnect(RedisPeer::setting('host'), (int) RedisPeer::setting('port'), 1, 'waiting');
        $redis->setOption(Redis::OPT_READ_TIMEOUT, $readTimeout);

        return $redis;
    }
};
