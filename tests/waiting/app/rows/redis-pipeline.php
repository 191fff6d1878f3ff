<?php

/** phpredis: a pipeline with a command in its middle that redis answers late. Limit: OPT_READ_TIMEOUT. */

declare(strict_types=1);

use Howdah\WaitingTests\App\RedisPeer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $key = RedisPeer::key();
        $redis = RedisPeer::connect();
        $other = RedisPeer::later($seconds, "RPUSH $key pushed");
        [$set, $popped, $got, $count] = $redis->multi(Redis::PIPELINE)
            ->set("$key-2", 'kept')->blPop([$key], 30)->get("$key-2")->del("$key-2")->exec();

        return [$set, $popped[1], $got, $count, fclose($other)];
    }

    public function limit(float $seconds): mixed
    {
        $key = RedisPeer::key();

        return RedisPeer::connect($seconds)->multi(Redis::PIPELINE)->get($key)->blPop([$key], 5)->exec();
    }
};
