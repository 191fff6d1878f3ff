<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential\Cases;

use Howdah\Tests\Differential\Cases;
use Howdah\Tests\Differential\Question;

/** What nginx does around PHP: X-Accel, error pages, filters, limits. */
final class Nginx implements Cases
{
    public static function all(): iterable
    {
        yield from self::accel();
        yield from self::around();
    }

    private static function accelerated(string $headers): Question
    {
        return Question::get("<?php $headers echo 'from PHP';")->file('inside/file.txt', "the file\n");
    }

    /** @return iterable<string, Question> */
    private static function accel(): iterable
    {
        $to = static fn (string $case): string => "header('X-Accel-Redirect: /$case/inside/file.txt');";
        yield 'accel-redirect' => self::accelerated($to('accel-redirect'));
        yield 'accel-redirect-missing' => self::accelerated("header('X-Accel-Redirect: /accel-redirect-missing/inside/none');");
        yield 'accel-redirect-type' => self::accelerated($to('accel-redirect-type') . " header('Content-Type: image/x');");
        yield 'accel-redirect-headers' => self::accelerated(
            $to('accel-redirect-headers') . " setcookie('a', 'b'); header('X-Mine: 1'); header('Cache-Control: private');"
                . " header('Content-Disposition: attachment; filename=x');",
        );
        yield 'accel-redirect-status' => self::accelerated($to('accel-redirect-status') . ' http_response_code(404);');
        yield 'accel-redirect-range' => Question::get(
            "<?php {$to('accel-redirect-range')}",
            '',
            'Range: bytes=4-7',
        )->file('inside/file.txt', "the file\n");
        yield 'accel-redirect-head' => Question::ask('HEAD', "<?php {$to('accel-redirect-head')}", '', null)
            ->file('inside/file.txt', "the file\n");
        yield 'accel-redirect-post' => Question::post("<?php {$to('accel-redirect-post')}", 'text/plain', 'body')
            ->file('inside/file.txt', "the file\n");
        yield 'accel-redirect-after-flush' => Question::get("<?php echo 'a'; flush(); {$to('accel-redirect-after-flush')}");
        yield 'accel-buffering' => self::accelerated("header('X-Accel-Buffering: no');");
        yield 'accel-expires' => self::accelerated("header('X-Accel-Expires: 60');");
        yield 'accel-charset' => self::accelerated("header('X-Accel-Charset: koi8-r'); header('Content-Type: text/plain');");
        yield 'accel-limit-rate' => self::accelerated("header('X-Accel-Limit-Rate: 100000');");
        yield 'accel-unknown' => self::accelerated("header('X-Accel-Other: 1');");
        yield 'inside-from-outside' => Question::raw(
            '<?php ',
            "GET {case}/inside/file.txt HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n",
        )->file('inside/file.txt', 'x')->onlyClassic();
    }

    /** @return iterable<string, Question> */
    private static function around(): iterable
    {
        $page = '<?php echo "page";';
        yield 'nginx-add-header' => Question::get(
            $page,
        )->nginx('add_header X-Added "a b" always; add_header X-Method $request_method;');
        yield 'nginx-expires' => Question::get($page)->nginx('expires 1h;');
        yield 'nginx-charset' => Question::get('<?php header("Content-Type: text/plain"); echo "x";')->nginx('charset utf-8;');
        yield 'nginx-sub-filter' => Question::get($page)->nginx('sub_filter page PAGE; sub_filter_once off;');
        yield 'nginx-deny' => Question::get($page)->nginx('deny all;');
        yield 'nginx-limit-except' => Question::post($page, 'text/x', 'x')->nginx('limit_except GET { deny all; }');
        yield 'nginx-return' => Question::get($page)->nginx('return 418;');
        yield 'nginx-error-page-of-nginx' => Question::get(
            $page,
        )->nginx('error_page 403 =200 /nginx-add-header/index.php; deny all;');
        yield 'nginx-etag' => Question::get(
            '<?php header("ETag: W/\"x\""); echo "x";',
        )->nginx('gzip on; gzip_types *; gzip_min_length 1;');
        yield 'nginx-rewrite' => Question::get(
            '<?php tell([$_GET, $_SERVER["REQUEST_URI"], $_SERVER["QUERY_STRING"]]);',
            '?a=1',
        )
            ->nginx('rewrite ^(.*)$ $1?b=2 break;');
        yield 'nginx-rewrite-without-query' => Question::get('<?php tell([$_GET, $_SERVER["QUERY_STRING"]]);', '?a=1')
            ->nginx('rewrite ^(.*)$ $1? break;');
        yield 'nginx-set-args' => Question::get(
            '<?php tell([$_GET, $_SERVER["QUERY_STRING"]]);',
            '?a=1',
        )->nginx('set $args c=3;');
        yield 'nginx-satisfy' => Question::get(
            '<?php echo $_SERVER["REMOTE_USER"];',
        )->nginx('auth_basic x; allow all; satisfy any;');
        yield 'nginx-addition' => Question::get($page)->nginx('add_after_body /nginx-add-header/index.php;');
        yield 'nginx-limit-rate' => Question::get('<?php echo str_repeat("x", 3000);')->nginx('limit_rate 100k;');
        yield 'nginx-underscores' => Question::get('<?php echo $_SERVER["HTTP_A_B"] ?? "dropped";', '', 'A_B: 1');
        yield 'nginx-log-not-found' => Question::get($page)->nginx('log_not_found off; etag off; server_tokens off;');
        yield 'nginx-dav-methods' => Question::ask('MKCOL', '<?php echo $_SERVER["REQUEST_METHOD"];', '', null);
        yield 'nginx-gzip-small' => Question::get($page, '', 'Accept-Encoding: gzip')->nginx('gzip on;');
        yield 'nginx-gzip-head' => Question::ask('HEAD', '<?php echo str_repeat("x", 3000);', '', null, 'Accept-Encoding: gzip')
            ->nginx('gzip on;');
        yield 'nginx-gzip-304' => Question::get(
            '<?php http_response_code(304); header("ETag: \"x\"");',
            '',
            'Accept-Encoding: gzip',
        )
            ->nginx('gzip on; gzip_min_length 1;');
    }
}
