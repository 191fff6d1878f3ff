<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential\Cases;

use Howdah\Tests\Differential\Cases;
use Howdah\Tests\Differential\Question;

/** What a request's line, cookies and headers become: $_GET, $_COOKIE, getallheaders(), filter_input(). */
final class Inputs implements Cases
{
    private const GET = '<?php tell($_GET);';
    private const COOKIE = '<?php tell(["cookie" => $_COOKIE, "header" => $_SERVER["HTTP_COOKIE"] ?? null, "request" =>'
        . ' $_REQUEST]);';

    public static function all(): iterable
    {
        yield from self::queries();
        yield from self::cookies();
        yield from self::functions();
    }

    /** @return iterable<string, Question> */
    private static function queries(): iterable
    {
        yield 'query-arrays' => Question::get(self::GET, '?a[]=1&a[]=2&b[x][y]=3&b[x][z]=4&c[][d]=5&c[][d]=6');
        yield 'query-arrays-malformed' => Question::get(self::GET, '?a[=1&b]=2&c[x=3&d[x]y=4&[e]=5&f[[x]]=6&g[x][=7&[]=8');
        yield 'query-names' => Question::get(self::GET, '?a.b=1&c%20d=2&e+f=3&%20g=4&h%00i=5&%6a=6&k%5B%5D=7&.l=8&=9&m');
        yield 'query-repeated' => Question::get(self::GET, '?a=1&a=2&a[]=3&b[]=1&b=2');
        yield 'query-encodings' => Question::get(self::GET, '?a=%E4%F6&b=%C3%A4&c=%zz&d=%4&e=%&f=+%2B&g=%00&h=%0d%0a');
        yield 'query-separators' => Question::get(self::GET, '?a=1;b=2&amp;c=3&&d=4&');
        yield 'query-separator-set' => Question::get(self::GET, '?a=1;b=2&c=3')->ini('arg_separator.input=;');
        yield 'query-numbers-as-names' => Question::get(self::GET, '?0=a&-1=b&007=c&1e3=d&9999999999999999999=e&1[2]=f');
        yield 'query-deep' => Question::get(self::GET, '?a' . str_repeat('[x]', 63) . '=1&b' . str_repeat('[x]', 64) . '=2');
        yield 'query-deep-limited' => Question::get(self::GET, '?a[x][y]=1&b[x][y][z]=2')->ini('max_input_nesting_level=2');
        $many = implode('&', array_map(static fn (int $number): string => "v$number=1", range(1, 1200)));
        yield 'query-many' => Question::get('<?php echo count($_GET);', "?$many");
        yield 'query-many-limited' => Question::get('<?php echo count($_GET);', "?$many")->ini('max_input_vars=10');
        yield 'query-globals' => Question::get('<?php tell([$_GET, isset($a)]);', '?GLOBALS[a]=1&_SERVER[x]=1&this=1&a=1');
        yield 'query-order' => Question::get(
            '<?php tell([$_GET, $_REQUEST, $_SERVER["QUERY_STRING"] ?? 0]);',
            '?a=1',
            'Cookie: a=2',
        )
            ->ini('variables_order=GPC', 'request_order=CG');
        yield 'query-environment' => Question::get('<?php tell([isset($_ENV["REQUEST_METHOD"]), getenv("REQUEST_METHOD")]);')
            ->ini('variables_order=EGPCS');
        yield 'query-not-just-in-time' => Question::get('<?php $n = "_SERVER"; echo $$n["QUERY_STRING"];', '?x')
            ->ini('auto_globals_jit=0');
    }

    /** @return iterable<string, Question> */
    private static function cookies(): iterable
    {
        $lists = [
            'one' => ['a=1'],
            'some' => ['a=1; b=2;c=3 ;d = 4'],
            'twice' => ['a=1; a=2'],
            'arrays' => ['a[]=1; a[]=2; b[x]=3'],
            'encoded' => ['a=%C3%A4%20b+c; %62=1; c%5B%5D=2'],
            'raw-bytes' => ["a=\xC3\xA4\xFF; \xC3\xA4=1"],
            'quoted' => ['a="1; 2"; b=\'x\''],
            'malformed' => ['; ;=; =1; a; b=; c==1=2; ,d=1'],
            'names' => ['a.b=1; c d=2; __Host-x=3; $Version=1'],
            'empty' => [''],
            'two-lines' => ['a=1', 'b=2; a=3'],
            'three-lines' => ['a=1', '', 'c=3'],
            'host-prefix' => ['__Host-a=1; ..Host-a=2; __Secure-b=1; __%48ost-c=3'],
        ];
        foreach ($lists as $name => $lines) {
            $headers = array_map(static fn (string $line): string => "Cookie: $line", $lines);
            yield "cookies-$name" => Question::get(self::COOKIE, '?q=1', ...$headers);
        }
        $many = implode('; ', array_map(static fn (int $number): string => "c$number=$number", range(1, 500)));
        yield 'cookies-many' => Question::get('<?php echo count($_COOKIE);', '', "Cookie: $many");
        yield 'cookies-limited' => Question::get('<?php echo count($_COOKIE);', '', "Cookie: $many")->ini('max_input_vars=10');
    }

    /** @return iterable<string, Question> */
    private static function functions(): iterable
    {
        $headers = ['X-Two: 1', 'x-two: 2', 'Accept-Language: de', 'X-EMPTY:', 'Content-Type: text/x', 'Cookie: a=1', '1: n'];
        $code = '<?php $all = array_filter(getallheaders()); ksort($all); tell([$all, apache_request_headers() =='
            . ' getallheaders()]);';
        yield 'getallheaders-empty' => Question::get('<?php tell(getallheaders());', '', 'X-Empty:');
        yield 'getallheaders' => Question::get($code, '', ...$headers);
        yield 'getallheaders-of-a-post' => Question::post($code, 'text/y; charset=x', 'body', 'X-A-B-C-: 1', 'Expect:');
        yield 'getallheaders-two-hyphens' => Question::post(
            '<?php echo implode(" ", preg_grep("/^X-/", array_keys(getallheaders())));',
            'a/b',
            'c',
            'X-A--B: 1',
        );
        yield 'getallheaders-authorization' => Question::get($code, '', 'Authorization: Bearer x');
        yield 'getallheaders-long-name' => Question::get($code, '', 'X-' . str_repeat('Ab-', 200) . 'Z: 1');
        yield 'apache-response-headers' => Question::get(<<<'PHP'
            <?php
            header('X-A: 1');
            header('X-A: 2', false);
            header('X-Empty:');
            setcookie('c', 'v');
            tell([apache_response_headers(), headers_list()]);
            PHP);
        yield 'getenv' => Question::get(<<<'PHP'
            <?php
            $names = ['REQUEST_METHOD', 'HTTP_X_A', 'QUERY_STRING', 'PHP_SELF', 'NOT_THERE', 'DOCUMENT_ROOT', 'TMPDIR'];
            tell(array_combine($names, array_map(getenv(...), $names)));
            PHP, '?q', 'X-A: b');
        yield 'getenv-all' => Question::get('<?php tell(array_intersect_key(getenv(), $_SERVER + ["a" => 1]) !== []);');
        yield 'filter-input' => Question::get(<<<'PHP'
            <?php
            tell([
                filter_input(INPUT_GET, 'a', FILTER_VALIDATE_INT), filter_input(INPUT_GET, 'b', FILTER_VALIDATE_INT),
                filter_input(INPUT_GET, 'none'), filter_has_var(INPUT_GET, 'a'), filter_has_var(INPUT_COOKIE, 'c'),
                filter_input(INPUT_COOKIE, 'c'), filter_input(INPUT_SERVER, 'REQUEST_METHOD'),
                filter_input(INPUT_SERVER, 'HTTP_X_A', FILTER_SANITIZE_SPECIAL_CHARS), filter_input(INPUT_ENV, 'HTTP_X_A'),
                filter_input_array(INPUT_GET, ['a' => FILTER_VALIDATE_INT, 'b' => ['flags' => FILTER_REQUIRE_ARRAY]]),
                filter_has_var(INPUT_SERVER, 'PHP_SELF'), filter_input(INPUT_SERVER, 'REMOTE_ADDR', FILTER_VALIDATE_IP),
            ]);
            PHP, '?a=12&b=x', 'Cookie: c=<b>', 'X-A: <i>');
        yield 'filter-input-sees-the-request' => Question::get(
            '<?php $_GET["a"] = 2; unset($_SERVER["REQUEST_METHOD"]);'
            . ' tell([filter_input(INPUT_GET, "a"), filter_input(INPUT_SERVER, "REQUEST_METHOD")]);',
            '?a=1',
        );
        yield 'filter-default' => Question::get('<?php tell([$_GET, $_COOKIE, $_SERVER["HTTP_X_A"]]);', '?a=<b>', 'X-A: <i>')
            ->ini('filter.default=special_chars');
        yield 'sapi' => Question::get(<<<'PHP'
            <?php
            tell([PHP_SAPI, php_sapi_name(), ini_get('cfg_file_path'), PHP_OS, function_exists('fastcgi_finish_request'),
                function_exists('apache_request_headers'), function_exists('cli_set_process_title'), defined('STDIN'),
                function_exists('apache_setenv'), function_exists('getallheaders'), ini_get('max_execution_time'),
                ini_get('html_errors'), ini_get('implicit_flush'), ini_get('output_buffering'), ignore_user_abort(),
                getcwd() === __DIR__]);
            PHP)->onlyClassic();
        yield 'fpm-get-status' => Question::get('<?php tell(function_exists("fpm_get_status"));');
        yield 'phpinfo' => Question::get('<?php ob_start(); phpinfo(INFO_VARIABLES); $t = ob_get_clean();'
            . ' tell([str_contains($t, "<table"), str_contains($t, "REQUEST_URI")]);');
        yield 'get-included-files' => Question::get(
            '<?php tell([count(get_included_files()), __FILE__, $_SERVER["SCRIPT_FILENAME"]]);',
        )
            ->onlyClassic();
        yield 'getlastmod' => Question::get(
            '<?php tell([getlastmod() === filemtime(__FILE__), getmyinode() === fileinode(__FILE__)]);',
        )
            ->onlyClassic();
        yield 'request-parse-names' => Question::get('<?php parse_str("a[]=1&b.c=2", $out); tell($out);');
    }
}
