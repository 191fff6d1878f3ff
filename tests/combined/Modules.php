<?php

declare(strict_types=1);

namespace Howdah\Combined;

/** The modules for nginx that are installed: packaging/deps names those that Debian 12 and 13 both have. */
final class Modules
{
    private const AVAILABLE = '/usr/share/nginx/modules-available';
    private const FOLDER = '/usr/lib/nginx/modules';

    /** Others need them, so they come first. */
    private const FIRST = ['ndk_http_module', 'ngx_stream_module', 'ngx_mail_module'];

    /** @return list<string> names, as "ngx_http_echo_module", in the order in which they are loaded */
    public static function names(): array
    {
        $lines = '';
        foreach (glob(self::AVAILABLE . '/*.conf') ?: [] as $file) {
            $lines .= file_get_contents($file) . "\n";
        }
        preg_match_all('~^load_module modules/(\w+)\.so;~m', $lines, $found);

        return array_values(array_unique([...array_intersect(self::FIRST, $found[1]), ...$found[1]]));
    }

    public static function directives(): string
    {
        $load = static fn (string $name): string => 'load_module ' . self::FOLDER . "/$name.so;\n";

        return implode('', array_map($load, self::names()));
    }
}
