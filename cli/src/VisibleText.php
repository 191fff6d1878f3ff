<?php

declare(strict_types=1);

namespace Howdah\Cli;

/**
 * What clients, applications and other users have chosen must not make a terminal do things: no control character, and none of
 * those that turn the direction of what follows (UAX 9) or begin a line (U+2028, U+2029). Bytes, as it need not be UTF-8.
 */
final class VisibleText
{
    private const CONTROLS = '\x00-\x09\x0b-\x1f\x7f';

    private const OTHERS = '\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]';

    public static function line(string $text): string
    {
        return str_replace("\n", '?', self::lines($text));
    }

    public static function lines(string $text): string
    {
        return (string) preg_replace('/[' . self::CONTROLS . ']|' . self::OTHERS . '/', '?', $text);
    }
}
