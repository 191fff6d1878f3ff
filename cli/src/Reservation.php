<?php

declare(strict_types=1);

namespace Howdah\Cli;

/**
 * An address that this process has chosen, kept from other processes that choose: from the choice until nginx listens nobody
 * would see that it is taken.
 *
 * It is a socket with a name that is no file (unix(7), abstract), which the kernel frees when the process and its children have
 * ended: nginx inherits it, as PHP cannot say that it shall not.
 */
final class Reservation
{
    /** @var array<string, resource> */
    private static array $taken = [];

    /** Whether it is ours now; false: another process has it. */
    public static function take(string $address): bool
    {
        if (isset(self::$taken[$address])) {
            return true;
        }
        $socket = @stream_socket_server("unix://\0howdah listens on $address");
        if ($socket === false) {
            return false;
        }
        self::$taken[$address] = $socket;

        return true;
    }
}
