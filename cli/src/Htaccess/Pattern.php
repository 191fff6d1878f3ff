<?php

declare(strict_types=1);

namespace Howdah\Cli\Htaccess;

use Howdah\Cli\NginxString;

/**
 * Apache's patterns as regular expressions of nginx, which both are PCRE's, for paths from the document root on.
 *
 * A pattern of a folder's file sees less than the whole path: what follows the folder, or the last part. Its "^" is where that
 * begins.
 *
 * Invariants:
 *   1. A pattern is whole by itself, and in a group of its own: nothing in it ends that group, or means anything outside of it.
 *   2. What a folder's file says is of no path outside of this folder.
 * What cannot be so is null.
 */
final readonly class Pattern
{
    /** As nginx's configuration has it, quoted. nginx takes no parameter of more than 4096 bytes. */
    private const LONGEST = 4000;

    /** What follows the folder's own path. */
    public static function below(string $folder, string $pattern, bool $anyCase): ?string
    {
        $start = '(?<=\A' . self::quote($folder) . ')';
        $found = self::search($pattern, $start, '(?s:.*?)', $anyCase);

        return $found === null ? null : self::quote($folder) . $found;
    }

    /** The last part of paths below the folder. */
    public static function name(string $folder, string $pattern): ?string
    {
        $found = self::search($pattern, '(?<=/)', '[^/]*?', false);

        return $found === null ? null : self::inside($folder, '(?s:.*/)(?=[^/]*$)' . $found);
    }

    /** The whole path; looked at without moving on. */
    public static function whole(string $pattern, bool $anyCase): ?string
    {
        $isNot = str_starts_with($pattern, '!');
        $found = self::anywhere(ltrim($pattern, '!'), $anyCase);

        return $found === null ? null : ($isNot ? '(?!' : '(?=') . "$found)";
    }

    /** In the whole path; "!" is a character as others. */
    public static function anywhere(string $pattern, bool $anyCase): ?string
    {
        $group = self::group($pattern, $anyCase);

        return $group === null ? null : "(?s:.*?)$group";
    }

    /** What is of paths in the folder only, and begins with the whole path; null where it is not sound. */
    public static function inside(string $folder, string $regex): ?string
    {
        $inside = '^(?=' . self::quote($folder) . ")$regex";

        return self::isSound($inside) ? $inside : null;
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
            && self::compiles($regex);
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

    /** Control characters by their number: names of folders may have them. */
    public static function quote(string $text): string
    {
        return (string) preg_replace_callback(
            '/[\x00-\x1f\x7f]/',
            static fn (array $match): string => sprintf('\\x%02x', ord($match[0])),
            preg_quote($text),
        );
    }

    /** Whether nginx takes it, and the text that may be beside it in a map. */
    public static function isShort(string $regex, string $value = ''): bool
    {
        return strlen(NginxString::literal("~$regex")) <= self::LONGEST
            && strlen(NginxString::withoutVariables($value)) <= self::LONGEST;
    }

    private static function search(string $pattern, string $start, string $skip, bool $anyCase): ?string
    {
        $isNot = str_starts_with($pattern, '!');
        $bare = ltrim($pattern, '!');
        $group = self::compiles($bare) ? self::group(self::anchored($bare, $start), $anyCase) : null;

        return match (true) {
            $group === null => null,
            $isNot => "(?!$skip$group)",
            default => $skip . $group,
        };
    }

    /**
     * By itself it has to compile, or it could end the group and begin another one: "a)|(b". And in the group, or it could go
     * on behind it: "\Qa" and "(?x)a#" have no end of their own.
     */
    private static function group(string $pattern, bool $anyCase): ?string
    {
        $group = ($anyCase ? '(?i:' : '(?:') . "$pattern)";

        return self::compiles($pattern) && self::compiles($group) ? $group : null;
    }

    private static function compiles(string $regex): bool
    {
        return !str_contains($regex, "\x01") && @preg_match("\x01$regex\x01", '') !== false;
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
