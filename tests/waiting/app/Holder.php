<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

use RuntimeException;

/** What rows ask peers/holder.php for. */
final class Holder
{
    /**
     * Lets another process have something from now on, for $seconds.
     *
     * @param  string $kind as peers/Lock.php knows it
     * @return resource closing it lets go at once
     */
    public static function hold(string $kind, string|int $name, float $seconds)
    {
        $socket = stream_socket_client('tcp://127.0.0.1:' . Settings::of('Holder')['port']);
        if ($socket === false) {
            throw new RuntimeException('the holder does not answer');
        }
        fwrite($socket, "$kind $name $seconds\n");
        if (fgets($socket) !== "held\n") {
            throw new RuntimeException("nobody can hold $kind $name");
        }

        return $socket;
    }

    /** A file that no other request uses; the tests remove it. */
    public static function file(string $prefix = 'held-'): string
    {
        return Settings::folder() . "/$prefix" . bin2hex(random_bytes(8));
    }
}
