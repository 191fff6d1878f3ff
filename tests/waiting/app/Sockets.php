<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

use RuntimeException;
use Socket;

/** Rows on ext/sockets, with the component SlowPeer. */
final class Sockets
{
    /** A connected socket that has asked for something. */
    public static function asked(string $question): Socket
    {
        $socket = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
        if ($socket === false || !socket_connect($socket, '127.0.0.1', (int) Peer::setting('tcp'))) {
            throw new RuntimeException(socket_strerror(socket_last_error()));
        }
        socket_write($socket, "$question\n");

        return $socket;
    }

    /** @return array{sec: int, usec: int} as SO_RCVTIMEO and SO_SNDTIMEO take it */
    public static function time(float $seconds): array
    {
        return ['sec' => (int) $seconds, 'usec' => (int) (fmod($seconds, 1) * 1_000_000)];
    }
}
