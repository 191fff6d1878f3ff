<?php

declare(strict_types=1);

namespace Howdah\Fuzz;

use Howdah\Tests\Clock;

/**
 * Sends requests at once, each on its own connection, and reads until the server closes it.
 *
 * Some wait for more of a request than there is. No clock tells which: when nothing comes any more while the server's loop goes
 * round a few times, clients close their sides, as one that has said all it wants to. The server has to close then.
 */
final class Crowd
{
    /** A server that needs so long hangs, also on a machine with much to do. */
    public const PATIENCE_SECONDS = 300;

    private const TURNS = 3;

    /** How long nothing comes before the server is asked for a turn. */
    private const PAUSE_MICROSECONDS = 10_000;

    /**
     * Null for those that neither ended nor were closed.
     *
     * @param array<int, string> $requests
     * @param ?callable(): void  $turn     comes back when the server's loop has gone round; null: all requests are whole
     *
     * @return array<int, ?string> what came back
     */
    public static function ask(int $port, array $requests, ?callable $turn = null): array
    {
        $sockets = $answers = $ended = [];
        foreach (array_keys($requests) as $number) {
            $socket = @stream_socket_client("tcp://127.0.0.1:$port", $code, $message, 5);
            $answers[$number] = '';
            if ($socket === false) {
                $ended[$number] = true;
                continue;
            }
            stream_set_blocking($socket, false);
            stream_set_read_buffer($socket, 0);
            $sockets[$number] = $socket;
        }
        $clock = Clock::start();
        $turns = 0;
        while ($sockets !== [] && $clock->seconds() < self::PATIENCE_SECONDS) {
            $read = $sockets;
            $write = array_intersect_key($sockets, array_filter($requests, static fn (string $left) => $left !== ''));
            $none = null;
            $ready = stream_select($read, $write, $none, 0, self::PAUSE_MICROSECONDS);
            if ($ready === false) {
                break;
            }
            $turns = $ready > 0 ? 0 : $turns + 1;
            if ($ready === 0 && $turn !== null && $turns <= self::TURNS) {
                $turns === self::TURNS ? array_map(self::closeSide(...), $sockets) : $turn();
            }
            foreach (array_keys($write) as $number) {
                $sent = @fwrite($sockets[$number], substr($requests[$number], 0, 65_536));
                // A server that has closed has answered before it read everything.
                $requests[$number] = $sent === false ? '' : substr($requests[$number], $sent);
            }
            foreach (array_keys($read) as $number) {
                $bytes = @fread($sockets[$number], 262_144);
                if (is_string($bytes) && $bytes !== '') {
                    $answers[$number] .= $bytes;
                } elseif (feof($sockets[$number])) {
                    fclose($sockets[$number]);
                    unset($sockets[$number]);
                    $ended[$number] = true;
                }
            }
        }
        foreach (array_diff_key($answers, $ended) as $number => $_) {
            $answers[$number] = null;
        }

        return $answers;
    }

    /** @param resource $socket */
    private static function closeSide(mixed $socket): void
    {
        @stream_socket_shutdown($socket, STREAM_SHUT_WR);
    }
}
