<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

use RuntimeException;

/** Ports of 127.0.0.1 where a server is late; needs Component\Late. */
final class Late
{
    /** For one connection: it is connected with $host:$port, that many seconds late. */
    public static function port(float $seconds, string $host, string $port): string
    {
        $socket = stream_socket_client('tcp://127.0.0.1:' . Settings::of('Late')['control']);
        if ($socket === false) {
            throw new RuntimeException('the late server does not answer');
        }
        fwrite($socket, "$seconds $host $port\n");
        $answer = trim((string) fgets($socket));
        fclose($socket);

        return $answer;
    }

    /** It takes connections and never says anything. */
    public static function silentPort(): string
    {
        return Settings::of('Late')['silent'];
    }

    /** It takes no connections, and the kernel has no place to keep one: who connects waits. */
    public static function fullPort(): string
    {
        return Settings::of('Late')['full'];
    }
}
