<?php

declare(strict_types=1);

namespace Howdah\Bench\Server;

use Howdah\Cli\Failure;

/** A port of the loopback address that nobody listens on. */
final class Port
{
    public static function free(): int
    {
        $socket = @stream_socket_server('tcp://127.0.0.1:0');
        if ($socket === false) {
            throw new Failure('no port is free on 127.0.0.1: end some of the programs that listen there');
        }
        $name = (string) stream_socket_get_name($socket, false);

        return (int) substr($name, (int) strrpos($name, ':') + 1);
    }
}
