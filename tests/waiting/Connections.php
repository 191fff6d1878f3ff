<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

/** The TCP connections of the machine, one a line, as proc(5) tells of /proc/net/tcp. */
final class Connections
{
    /** While others come and go the kernel leaves a line out, or tells it twice, in about one reading of 200. */
    private const READINGS = 3;

    /** @return list<string> each once */
    public static function lines(): array
    {
        $lines = [];
        for ($reading = 0; $reading < self::READINGS; $reading++) {
            foreach (array_slice(file('/proc/net/tcp') ?: [], 1) as $line) {
                // The number of the line, both ends.
                $words = preg_split('/ +/', trim($line), 4) ?: [];
                $lines["{$words[1]} {$words[2]}"] = $line;
            }
        }

        return array_values($lines);
    }

    public static function text(): string
    {
        return implode('', self::lines());
    }
}
