<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential;

/** What no two answers have in common: dates, ports, the names of sessions and of uploaded files. */
final class Unrepeatable
{
    /** The answer with stars in their place, as long as it was. */
    public static function hidden(string $bytes, int ...$ports): string
    {
        $stars = static fn (string $text): string => str_repeat('*', strlen($text));
        // Only where a number stands alone: the same five digits come by chance in what a page tells as hexadecimal.
        $numbers = [
            '/(?<=^Date: )[^\r\n]+/m',
            // When opcache was started (phpinfo()).
            '/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000/',
            '/\b(' . implode('|', $ports) . ')\b/',
        ];
        $bytes = (string) preg_replace_callback($numbers, static fn (array $found) => $stars($found[0]), $bytes);
        // A page may tell these elsewhere, too.
        preg_match_all('#(?<=PHPSESSID=)[a-zA-Z0-9,-]{22,}|(?<=/tmp/php)[a-zA-Z0-9]{6}\b#', $bytes, $names);

        return strtr($bytes, array_combine($names[0], array_map($stars, $names[0])));
    }
}
