<?php

declare(strict_types=1);

namespace Howdah\Fuzz;

use Random\Randomizer;

/** A request of HTTP/1 as the bytes of an HTTP/2 connection, right or changed (RFC 9113). */
final class Frames
{
    public static function of(string $request, string $mark, Randomizer $random, Generator $generator): string
    {
        [$head, $body] = explode("\r\n\r\n", $request, 2) + ['', ''];
        $lines = explode("\r\n", $head);
        $first = explode(' ', $lines[0]) + ['GET', '/', ''];
        $block = self::field(':method', $first[0]) . self::field(':scheme', 'http') . self::field(':path', $first[1])
            . self::field(':authority', "h$mark");
        foreach (array_slice($lines, 1) as $line) {
            [$name, $value] = explode(':', $line, 2) + ['', ''];
            // Those of the connection are an error in HTTP/2; sometimes they may come.
            if (
                !in_array(strtolower($name), ['connection', 'transfer-encoding', 'host'], true) || $random->getInt(
                    0,
                    9
                ) === 0
            ) {
                $block .= self::field($random->getInt(0, 19) === 0 ? $name : strtolower($name), trim($value));
            }
        }
        $frames = self::frame(4, 0, 0, '') . self::frame(1, $body === '' ? 5 : 4, 1, substr($block, 0, 16_384));
        foreach ($body === '' ? [] : str_split(substr($body, 0, 60_000), 16_384) as $piece) {
            $frames .= self::frame(0, 0, 1, $piece);
        }
        $frames .= $body === '' ? '' : self::frame(0, 1, 1, '');
        $frames .= $generator->one(['', '', self::frame(3, 0, 1, pack('N', 8)), self::frame(8, 0, 1, pack('N', 1)),
            self::frame(6, 0, 0, '12345678')]);

        return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" . ($random->getInt(0, 2) === 0 ? $generator->mutate(
            $frames,
            $request
        ) : $frames);
    }

    private static function frame(int $type, int $flags, int $stream, string $payload): string
    {
        return substr(pack('N', strlen($payload)), 1) . pack('CCN', $type, $flags, $stream) . $payload;
    }

    /** Literal, not indexed, not Huffman-coded (RFC 7541, 6.2.2). */
    private static function field(string $name, string $value): string
    {
        $name = substr($name, 0, 126);
        $value = substr($value, 0, 126);

        return "\0" . chr(strlen($name)) . $name . chr(strlen($value)) . $value;
    }
}
