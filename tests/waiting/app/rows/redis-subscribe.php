<?php

/** phpredis: subscribe until a message comes. Limit: OPT_READ_TIMEOUT. */

declare(strict_types=1);

use Howdah\WaitingTests\App\RedisPeer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $channel = RedisPeer::key();
        $redis = RedisPeer::connect();
        $other = RedisPeer::later($seconds, "PUBLISH $channel first\r\nPUBLISH $channel second");
        $messages = [];
        try {
            $redis->subscribe([$channel], static function (Redis $redis, string $from, string $text) use (&$messages): void {
                $messages[] = $text;
                if ($text === 'second') {
                    // unsubscribe() in here waits for messages for ever in phpredis 5.3.
                    $redis->close();
                }
            });
        } catch (RedisException $exception) {
            $messages[] = $exception->getMessage();
        }

        return [$messages, $redis->ping(), fclose($other)];
    }

    public function limit(float $seconds): mixed
    {
        return RedisPeer::connect($seconds)->subscribe([RedisPeer::key()], static fn () => null);
    }
};
