<?php

/** php-memcached: get() of a server that answers late. Limit: OPT_POLL_TIMEOUT, libmemcached's own for each answer. */

declare(strict_types=1);

use Howdah\WaitingTests\App\MemcachedPeer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $memcached = MemcachedPeer::connect([Memcached::OPT_POLL_TIMEOUT => 30_000]);
        $key = MemcachedPeer::key();
        $memcached->set($key, ['a' => 1.5]);
        $missing = $memcached->get("wait:$seconds:$key");

        return [$missing, $memcached->getResultMessage(), $memcached->get($key), $memcached->getResultMessage()];
    }

    public function limit(float $seconds): mixed
    {
        $memcached = MemcachedPeer::connect([Memcached::OPT_POLL_TIMEOUT => (int) ($seconds * 1000)]);
        $value = $memcached->get('wait:5:' . MemcachedPeer::key());

        return [$value, $memcached->getResultCode(), $memcached->getResultMessage()];
    }
};
