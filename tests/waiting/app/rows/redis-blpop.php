<?php

/** phpredis: BLPOP until another client pushes. Limit: OPT_READ_TIMEOUT. */

declare(strict_types=1);

use Howdah\WaitingTests\App\RedisPeer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $key = RedisPeer::key();
        $redis = RedisPeer::connect();
        $other = RedisPeer::later($seconds, "RPUSH $key pushed more");

        return [$redis->blPop([$key], 30)[1], $redis->lRange($key, 0, -1), fclose($other)];
    }

    public function limit(float $seconds): mixed
    {
        return RedisPeer::connect($seconds)->blPop([RedisPeer::key()], 5);
    }
};
