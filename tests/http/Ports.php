<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use RuntimeException;

/**
 * Ports of 127.0.0.1 for servers. Suites, checkouts and roots of another release run side by side: a process has blocks of
 * ports for itself, by a lock in a folder that they share. All are below those that the kernel gives by itself
 * (net.ipv4.ip_local_port_range): before its server starts, a client's connection could get one of these.
 */
final class Ports
{
    private const FIRST = 10_000;
    private const BLOCKS = 220;
    private const IN_BLOCK = 100;
    private const FOLDER = '/dev/shm';

    /** @var list<int> of this process's blocks, not taken yet */
    private static array $left = [];

    /** @var array<int, resource> the locks of this process's blocks, held until it ends */
    private static array $locks = [];

    /** One on which nothing listens, and that no other call gets. */
    public static function take(): int
    {
        for (;;) {
            self::$left = self::$left ?: self::block();
            $port = (int) array_pop(self::$left);
            $socket = @stream_socket_server("tcp://127.0.0.1:$port");
            if ($socket !== false) {
                fclose($socket);

                return $port;
            }
        }
    }

    /** @return non-empty-list<int> */
    private static function block(): array
    {
        $blocks = range(0, self::BLOCKS - 1);
        shuffle($blocks);
        foreach (array_diff($blocks, array_keys(self::$locks)) as $block) {
            $path = (is_dir(self::FOLDER) ? self::FOLDER : '/tmp') . "/howdah-ports-$block";
            // e: programs that are started do not have it, and a lock ends with this process. Another user may have made it.
            $file = @fopen($path, file_exists($path) ? 're' : 'ce');
            if ($file !== false && flock($file, LOCK_EX | LOCK_NB)) {
                self::$locks[$block] = $file;
                $first = self::FIRST + $block * self::IN_BLOCK;

                return range($first, $first + self::IN_BLOCK - 1);
            }
        }
        throw new RuntimeException('no port is free');
    }
}
