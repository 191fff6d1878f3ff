<?php

declare(strict_types=1);

namespace Howdah\Cli\Htaccess;

use Howdah\Cli\NginxString;

/**
 * Apache's patterns as regular expressions of nginx, which both are PCRE's, for paths from the document root on.
 *
 * A pattern of a folder's file sees less than the whole path: what follows the folder, or the last part. Its "^" is where that
 * begins.
 */
final readonly class Pattern
{
    /** As nginx's configuration has it, quoted. nginx takes no parameter of more than 4096 bytes. */
    private const LONGEST = 4000;

    /** What follows the folder's own path. */
    public static function below(string $folder, string $pattern, bool $anyCase): string
    {
        $start = '(?<=\A' . self::quote($folder) . ')';

        return self::quote($folder) . self::search($pattern, $start, '(?s:.*?)', $anyCase);
    }

    /** The last part of paths below the folder. */
    public static function name(string $folder, string $pattern): string
    {
        return '^' . self::quote($folder) . '(?:.*/)?(?=[^/]*$)' . self::search($pattern, '(?<=/)', '[^/]*?', false);
    }

    /** The whole path; looked at without moving on. */
    public static function whole(string $pattern, bool $anyCase): string
    {
        $isNot = str_starts_with($pattern, '!');
        $found = '(?s:.*?)' . self::group(ltrim($pattern, '!'), $anyCase);

        return $isNot ? "(?!$found)" : "(?=$found)";
    }

    /** As <Files> has it. */
    public static function ofGlob(string $glob): string
    {
        $regex = '';
        foreach (str_split($glob) as $char) {
            $regex .= match ($char) {
                '*' => '[^/]*',
                '?' => '[^/]',
                '[', ']' => $char,
                default => self::quote($char),
            };
        }

        return "^$regex\$";
    }

    /** For nginx, in which a named group would be a variable; with PCRE's own opinion. */
    public static function isSound(string $regex): bool
    {
        return self::isShort($regex) && preg_match("/\\(\\?P?<[A-Za-z_]|\\(\\?'|[\\x00-\\x1f]/", $regex) === 0
            && @preg_match("\x01$regex\x01", '') !== false;
    }

    /**
     * What begins so and goes on so. nginx cannot be told of a beginning that is too long: then it is a shorter one, which
     * means more.
     */
    public static function beginning(string $start, string $rest = ''): string
    {
        while (!self::isShort('^' . self::quote($start) . $rest)) {
            $start = substr($start, 0, intdiv(strlen($start), 2));
        }

        return '^' . self::quote($start) . $rest;
    }

    public static function quote(string $text): string
    {
        return preg_quote($text);
    }

    private static function isShort(string $regex): bool
    {
        return strlen(NginxString::literal("~$regex")) <= self::LONGEST;
    }

    private static function search(string $pattern, string $start, string $skip, bool $anyCase): string
    {
        $isNot = str_starts_with($pattern, '!');
        $found = $skip . self::group(self::anchored(ltrim($pattern, '!'), $start), $anyCase);

        return $isNot ? "(?!$found)" : $found;
    }

    private static function group(string $pattern, bool $anyCase): string
    {
        return ($anyCase ? '(?i:' : '(?:') . "$pattern)";
    }

    /** "^" outside of classes, and not escaped, is where the part begins. */
    private static function anchored(string $pattern, string $start): string
    {
        return (string) preg_replace_callback(
            '/\\\\.|\[\^?\]?(?:\\\\.|\[:\w+:\]|[^\]\\\\])*\]|\^/s',
            static fn (array $match): string => $match[0] === '^' ? $start : $match[0],
            $pattern,
        );
    }
}
