<?php

/** php-memcached: getMulti() in the binary protocol, non-blocking. Limit: OPT_POLL_TIMEOUT. */

declare(strict_types=1);

use Howdah\WaitingTests\App\MemcachedPeer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    private const OPTIONS = [Memcached::OPT_BINARY_PROTOCOL => true, Memcached::OPT_NO_BLOCK => true];

    public function wait(float $seconds): mixed
    {
        $memcached = MemcachedPeer::connect(self::OPTIONS + [Memcached::OPT_POLL_TIMEOUT => 30_000]);
        $key = MemcachedPeer::key();
        $memcached->setMulti(["$key-1" => 'one', "$key-2" => 2]);
        $found = $memcached->getMulti(["$key-1", "wait:$seconds:$key", "$key-2"]);

        return [array_values((array) $found), $memcached->getResultMessage(), $memcached->increment("$key-2")];
    }

    public function limit(float $seconds): mixed
    {
        $limit = [Memcached::OPT_POLL_TIMEOUT => (int) ($seconds * 1000)];
        $memcached = MemcachedPeer::connect(self::OPTIONS + $limit);
        $found = $memcached->getMulti(['wait:5:' . MemcachedPeer::key()]);

        return [$found, $memcached->getResultCode(), $memcached->getResultMessage()];
    }
};
