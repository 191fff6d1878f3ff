<?php

declare(strict_types=1);

namespace Howdah\Fuzz;

/** Sends requests at once, each on its own connection, and reads until the server closes it. */
final class Crowd
{
    /** nginx's own time limits are far below. */
    private const PATIENCE_SECONDS = 20;

    /**
     * Null for those that neither ended nor were closed.
     *
     * @param array<int, string> $requests
     *
     * @return array<int, ?string> what came back
     */
    public static function ask(int $port, array $requests): array
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
        $deadline = microtime(true) + self::PATIENCE_SECONDS;
        while ($sockets !== [] && microtime(true) < $deadline) {
            $read = $sockets;
            $write = array_intersect_key($sockets, array_filter($requests, static fn (string $left) => $left !== ''));
            $none = null;
            if (stream_select($read, $write, $none, 1) === false) {
                break;
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
}
