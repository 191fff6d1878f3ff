<?php

declare(strict_types=1);

namespace Howdah\Combined;

use Random\Randomizer;

/** What stands in the locations: some of all that filters and other modules can do to a page, together. */
final class Locations
{
    public const COUNT = 48;

    /** At most so many things at once in a location. */
    private const MOST = 5;

    private const KINDS = ['text', 'text', 'ssi', 'xml', 'png', 'packed', 'octets'];

    /**
     * What does not go together. What stands before and after a page is text: a page that is XML or a picture is none any more
     * with it. The filters of echo, js, lua and security do not bear other pages within theirs: php-fpm's pages come broken or
     * never, too.
     */
    private const APART = [
        'addition' => ['xml', 'png', 'js', 'echo', 'lua', 'security'],
        'ssi' => ['ssi'],
        'js' => ['ssi'],
        'image' => ['png'],
    ];

    /** @var list<array{kind: string, settings: string, mode: string}> */
    public readonly array $all;

    public function __construct(string $folder, Randomizer $random)
    {
        $all = [];
        $choices = self::choices($folder);
        for ($i = 0; $i < self::COUNT; ++$i) {
            $kind = self::KINDS[$random->getInt(0, count(self::KINDS) - 1)];
            $chosen = $random->pickArrayKeys($choices, $random->getInt(1, self::MOST));
            foreach (self::APART as $name => $others) {
                if (array_intersect($others, [$kind, ...$chosen]) !== []) {
                    $chosen = array_diff($chosen, [$name]);
                }
            }
            $settings = implode('', array_map(static fn (int|string $name) => $choices[$name], $chosen));
            $all[] = [
                'kind' => $kind,
                'settings' => self::ofKind($kind, $folder) . $settings,
                'mode' => $i % 2 === 0 ? 'classic' : 'worker',
            ];
        }
        $this->all = $all;
    }

    private static function ofKind(string $kind, string $folder): string
    {
        return match ($kind) {
            'ssi' => 'ssi on; ssi_types *; ',
            'xml' => "xslt_stylesheet $folder/style.xslt; ",
            'png' => 'image_filter resize 10 10; error_page 415 /inc/text.txt; ',
            'packed' => 'gunzip on; ',
            default => '',
        };
    }

    /** @return non-empty-array<string, string> what can stand together: nginx's own, then Debian's modules */
    private static function choices(string $folder): array
    {
        return [
            'gzip' => 'gzip on; gzip_types *; gzip_min_length 1; gzip_comp_level 1; gzip_proxied any; ',
            'sub' => "sub_filter 'line' 'LINE'; sub_filter_once off; sub_filter_types *; ",
            'addition' => "add_before_body /inc/slow; add_after_body /inc/text.txt; addition_types *; ",
            'ssi' => 'ssi on; ssi_types *; ',
            'charset' => 'source_charset koi8-r; charset utf-8; charset_types *; ',
            'auth' => "auth_request /inc/one; ",
            'mirror' => 'mirror /inc/page.php; ',
            'rate' => 'limit_rate 4m; ',
            'postpone' => 'postpone_output 0; ',
            'small' => 'output_buffers 2 1k; client_body_buffer_size 1k; ',
            'header' => 'add_header X-Added yes always; expires 1h; etag on; ',
            'late' => "post_action /inc/one; ",
            'image' => 'image_filter test; error_page 415 /inc/page.php?lines=3; ',
            'brotli' => 'brotli on; brotli_types *; brotli_comp_level 1; brotli_min_length 1; ',
            'subs' => "subs_filter 'mark' 'MARK' g; subs_filter_types *; ",
            'headers' => "more_set_headers 'X-More: yes'; more_clear_headers X-Powered-By; ",
            'echo' => "echo_before_body before; echo_after_body after; ",
            'lua' => 'header_filter_by_lua_block { ngx.header["X-Lua"] = "yes" }'
                . ' body_filter_by_lua_block { if ngx.arg[1] then ngx.arg[1] = string.gsub(ngx.arg[1], "a", "A") end }'
                . ' access_by_lua_block { ngx.sleep(0.001) } log_by_lua_block { local status = ngx.status } ',
            'perl' => 'add_header X-Perl $perl_says; ',
            'js' => 'js_header_filter filters.head; js_body_filter filters.body; ',
            'security' => "modsecurity on; modsecurity_rules_file $folder/security.conf; ",
            'cache' => "srcache_fetch GET /inc/nothing; ",
            'misc' => "set_unescape_uri \$set_misc_says \$arg_kind; add_header X-Set \$set_misc_says; ",
        ];
    }
}
