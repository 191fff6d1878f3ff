<?php

declare(strict_types=1);

namespace Howdah\Cli;

/**
 * Text as a parameter in nginx's configuration, always quoted.
 *
 * nginx has no escape for `$` where a directive takes variables: there, a dollar sign is written as the variable DOLLAR, which
 * the configuration must define (NginxConfig does) to be one. See ngx_conf_read_token() for what a backslash does in quotes.
 */
final readonly class NginxString
{
    public const DOLLAR = 'howdah_dollar';

    /** For a directive that takes its parameter as it is. */
    public static function literal(string $text): string
    {
        return '"' . str_replace(['\\', '"'], ['\\\\', '\\"'], $text) . '"';
    }

    /** For a directive that would expand variables, and shall not. */
    public static function withoutVariables(string $text): string
    {
        return str_replace('$', '${' . self::DOLLAR . '}', self::literal($text));
    }
}
