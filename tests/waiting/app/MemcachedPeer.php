<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

use Memcached;

/** What rows need of memcached: a connection that may be slow. */
final class MemcachedPeer
{
    /** @param array<int, mixed> $options of Memcached::setOptions() */
    public static function connect(array $options): Memcached
    {
        ['host' => $host, 'slow' => $port] = Settings::of('Memcached');
        $memcached = new Memcached();
        $memcached->setOptions($options);
        $memcached->addServer($host, (int) $port);

        return $memcached;
    }

    /** A name that no other request uses. */
    public static function key(): string
    {
        return 'key-' . bin2hex(random_bytes(8));
    }
}
