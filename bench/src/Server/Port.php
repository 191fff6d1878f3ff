<?php

declare(strict_types=1);

namespace Howdah\Bench\Server;

use Howdah\Cli\Failure;

/**
 * A port of the loopback address that nobody listens on. Its server binds it later: it is none that the kernel gives clients by
 * itself meanwhile (net.ipv4.ip_local_port_range), none of the tests' (tests/http/Ports.php), and none that was given before.
 */
final class Port
{
    private const FIRST = 32_000;
    private const LAST = 32_767;

    /** @var list<int> */
    private static array $left = [];

    public static function free(): int
    {
        if (self::$left === []) {
            self::$left = range(self::FIRST, self::LAST);
            shuffle(self::$left);
        }
        while (($port = array_pop(self::$left)) !== null) {
            $socket = @stream_socket_server("tcp://127.0.0.1:$port");
            if ($socket !== false) {
                fclose($socket);

                return $port;
            }
        }
        throw new Failure('no port from ' . self::FIRST . ' to ' . self::LAST . ' is free on 127.0.0.1: end some of the'
            . ' programs that listen there');
    }
}
