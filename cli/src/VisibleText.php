<?php

declare(strict_types=1);

namespace Howdah\Cli;

/**
 * What clients, applications and other users have chosen must not make a terminal do things, nor look like something else: no
 * control character, none that is not seen, and none of those that turn the direction of what follows (UAX 9) or begin a line
 * (U+2028, U+2029). It need not be UTF-8: bytes that are none go, too, as a terminal of 8 bits obeys some of them.
 */
final class VisibleText
{
    /** As nginx/text.c, which says why these. */
    private const HIDDEN = '\x{0}-\x{9}\x{b}-\x{1f}\x{7f}-\x{9f}\x{ad}\x{34f}\x{61c}\x{115f}\x{1160}\x{17b4}\x{17b5}'
        . '\x{180b}-\x{180f}\x{200b}-\x{200f}\x{2028}-\x{202e}\x{2060}-\x{206f}\x{3164}\x{feff}\x{ffa0}\x{fff0}-\x{fffb}'
        . '\x{1bca0}-\x{1bca3}\x{1d173}-\x{1d17a}\x{e0000}-\x{e0fff}';

    /** RFC 3629, 4. */
    private const CHARACTER = '[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}'
        . '|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}';

    public static function line(string $text): string
    {
        return str_replace("\n", '?', self::lines($text));
    }

    public static function lines(string $text): string
    {
        $characters = (string) preg_replace('/(?:' . self::CHARACTER . ')(*SKIP)(*FAIL)|./s', '?', $text);

        return (string) preg_replace('/[' . self::HIDDEN . ']/u', '?', $characters);
    }
}
