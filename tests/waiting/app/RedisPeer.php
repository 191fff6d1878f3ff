<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

use Redis;
use RuntimeException;

/** What rows need of redis-server: a connection, and commands that come later from somebody else. */
final class RedisPeer
{
    /** @param float $readTimeout OPT_READ_TIMEOUT in seconds; -1: none */
    public static function connect(float $readTimeout = -1): Redis
    {
        $redis = new Redis();
        $redis->connect(self::setting('host'), (int) self::setting('port'));
        $redis->setOption(Redis::OPT_READ_TIMEOUT, $readTimeout);

        return $redis;
    }

    /** A name that no other request uses. */
    public static function key(): string
    {
        return 'key-' . bin2hex(random_bytes(8));
    }

    /**
     * Lets redis have a command in $seconds. Does not wait.
     *
     * @return resource who sends it: closing it takes the command back
     */
    public static function later(float $seconds, string $command)
    {
        $socket = stream_socket_client('tcp://' . self::setting('host') . ':' . self::setting('slow'));
        if ($socket === false) {
            throw new RuntimeException('the slow proxy does not run');
        }
        fwrite($socket, "ECHO wait:$seconds:\r\n$command\r\n");

        return $socket;
    }

    public static function setting(string $name): string
    {
        return Settings::of('Redis')[$name];
    }
}
