<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

/** Ports on loopback. */
final class Port
{
    /** Whether something listens there. */
    public static function answers(int $port): bool
    {
        $socket = @stream_socket_client("tcp://127.0.0.1:$port", timeout: 1);
        if ($socket === false) {
            return false;
        }
        fclose($socket);

        return true;
    }
}
