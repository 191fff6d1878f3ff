<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential\Cases;

use Howdah\Tests\Differential\Cases;
use Howdah\Tests\Differential\Question;

/** Status, headers and cookies of responses. */
final class Heads implements Cases
{
    public static function all(): iterable
    {
        yield from self::statuses();
        yield from self::headers();
        yield from self::types();
        yield from self::cookies();
        yield from self::callbacks();
    }

    private static function code(string $code): Question
    {
        return Question::get("<?php $code echo 'body';");
    }

    /** @return iterable<string, Question> */
    private static function statuses(): iterable
    {
        $codes = [101, 103, 199, 200, 201, 202, 203, 204, 205, 206, 207, 300, 301, 302, 303, 304, 305, 307, 308, 400, 401, 402,
            403, 404, 405, 410, 413, 416, 418, 428, 429, 431, 451, 499, 500, 501, 502, 503, 504, 511, 599];
        foreach ($codes as $code) {
            yield "status-$code" => self::code("http_response_code($code);");
        }
        foreach ([0, 42, 600, 999, 1000, -1] as $code) {
            yield "status-invalid-$code" => self::code("var_dump(http_response_code($code));");
        }
        yield 'status-line' => self::code("header('HTTP/1.0 404 Not Found');");
        yield 'status-line-own-words' => self::code("header('HTTP/1.1 404 Nowhere To Be Found');");
        yield 'status-line-no-words' => self::code("header('HTTP/1.1 404');");
        yield 'status-line-200-own-words' => self::code("header('HTTP/1.1 200 Fine');");
        yield 'status-line-of-2' => self::code("header('HTTP/2 403 No');");
        yield 'status-line-malformed' => self::code("header('HTTP/1.1 abc');");
        yield 'status-line-blanks' => self::code("header('HTTP/1.1   503   Later  ');");
        yield 'status-line-unknown-code' => self::code("header('HTTP/1.1 299 Odd');");
        yield 'status-line-then-code' => self::code("header('HTTP/1.1 404 Gone Fishing'); http_response_code(500);");
        yield 'status-code-then-line' => self::code("http_response_code(500); header('HTTP/1.1 404 Gone Fishing');");
        yield 'status-header' => self::code("header('Status: 404 Not Found');");
        yield 'status-header-no-words' => self::code("header('Status: 404');");
        yield 'status-header-own-words' => self::code("header('Status: 404 Nowhere');");
        yield 'status-header-999' => self::code("header('Status: 999 Foo');");
        yield 'status-header-600-no-words' => self::code("header('Status: 600');");
        yield 'status-line-999' => self::code("header('HTTP/1.1 999 Foo');");
        yield 'status-header-malformed' => self::code("header('Status: nonsense');");
        yield 'status-header-and-code' => self::code("header('Status: 404 Not Found'); http_response_code(500);");
        yield 'status-header-and-line' => self::code("header('Status: 404 Not Found'); header('HTTP/1.1 410 Gone');");
        yield 'status-header-twice' => self::code("header('Status: 404'); header('Status: 410', false);");
        yield 'status-third-argument' => self::code("header('X-A: 1', true, 403);");
        yield 'status-location' => self::code("header('Location: /elsewhere');");
        yield 'status-location-after-201' => self::code("http_response_code(201); header('Location: /elsewhere');");
        yield 'status-location-after-404' => self::code("http_response_code(404); header('Location: /elsewhere');");
        yield 'status-location-301' => self::code("header('Location: http://other.example/a b?c', true, 301);");
        yield 'status-location-then-200' => self::code("header('Location: /x'); http_response_code(200);");
        yield 'status-location-empty' => self::code("header('Location:');");
        yield 'status-location-relative' => self::code("header('Location: other.php?a=1#b');");
        yield 'status-location-of-a-post' => Question::post("<?php header('Location: /x'); echo 'b';", 'text/x', 'x');
        yield 'status-location-http-1-0' => Question::raw(
            "<?php header('Location: /x');",
            "POST {case}/index.php HTTP/1.0\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
        );
        yield 'status-www-authenticate' => self::code("header('WWW-Authenticate: Basic realm=\"x\"');");
        yield 'status-www-authenticate-twice' => self::code(
            "header('WWW-Authenticate: Basic realm=\"x\"'); header('WWW-Authenticate: Digest realm=\"y\"', false);",
        );
        yield 'status-http-response-code-reads' => Question::get(
            '<?php tell([http_response_code(), http_response_code(404), http_response_code(), http_response_code(201)]);',
        );
        foreach ([200, 204, 302, 304, 404, 500] as $code) {
            yield "head-of-$code" => Question::ask('HEAD', "<?php http_response_code($code); echo 'body';", '', null);
        }
        yield 'head-with-length' => Question::ask('HEAD', "<?php header('Content-Length: 12345');", '', null);
        yield 'head-without-body' => Question::ask('HEAD', "<?php header('X-A: 1');", '', null);
        yield 'status-204-with-headers' => self::code(
            "http_response_code(204); header('Content-Length: 4'); header('X-A: 1');",
        );
        yield 'status-304-with-headers' => self::code(
            "http_response_code(304); header('ETag: \"x\"'); header('Content-Type: text/x'); header('Content-Length: 4');",
        );
    }

    /** @return iterable<string, Question> */
    private static function headers(): iterable
    {
        yield 'set-header' => self::code("header('X-A: 1'); header('x-b:2'); header('X-C:   3  ');");
        yield 'set-header-replace' => self::code("header('X-A: 1'); header('x-a: 2'); header('X-A: 3', false);");
        yield 'set-header-twice' => self::code("header('X-A: 1', false); header('X-A: 2', false); header('X-A: 2', false);");
        yield 'set-header-remove' => self::code(
            "header('X-A: 1'); header('X-B: 2'); header_remove('x-a'); header_remove('X-No');",
        );
        yield 'set-header-remove-all' => self::code("header('X-A: 1'); header_remove();");
        yield 'set-header-remove-powered-by' => self::code("header_remove('X-Powered-By');");
        yield 'set-header-empty' => self::code("header('X-Empty:'); header('X-Blank:  ');");
        yield 'set-header-no-colon' => self::code("header('no colon');");
        yield 'set-header-no-colon-and-no-blank' => self::code("header('Invalid');");
        yield 'set-header-tab-in-name' => self::code("header(\"A\\tB: c\");");
        yield 'set-header-blank-before-colon' => self::code("header('X-A : 1');");
        yield 'set-header-no-name' => self::code("header(': value');");
        yield 'set-header-blank-in-name' => self::code("header('X A: 1');");
        yield 'set-header-nothing' => self::code("header('');");
        yield 'set-header-injection' => self::code("header(\"X-A: 1\\r\\nX-B: 2\");");
        yield 'set-header-line-feed' => self::code("header(\"X-A: 1\\nX-B: 2\");");
        yield 'set-header-folded' => self::code("header(\"X-A: 1\\r\\n 2\");");
        yield 'set-header-carriage-return' => self::code("header(\"X-A: 1\\rX-B: 2\");");
        yield 'set-header-zero-byte' => self::code("header(\"X-A: 1\\0 2\");");
        yield 'set-header-line-end-at-end' => self::code("header(\"X-A: 1\\r\\n\");");
        yield 'set-header-bytes' => self::code("header(\"X-A: \\xC3\\xA4\\xFF\\x01\\x7F\\t.\");");
        yield 'set-header-long' => self::code("header('X-A: ' . str_repeat('long ', 3000));");
        yield 'set-header-many' => self::code("for (\$i = 0; \$i < 200; \$i++) { header(\"X-Header-\$i: \$i\"); }");
        yield 'set-header-known' => self::code(
            "header('Date: Thu, 01 Jan 2026 00:00:00 GMT'); header('Server: mine'); header('Accept-Ranges: none');",
        );
        yield 'set-header-of-connection' => self::code(
            "header('Connection: close'); header('Keep-Alive: 5'); header('Transfer-Encoding: chunked'); header('Upgrade: x');",
        );
        yield 'set-header-cache' => self::code(
            "header('Cache-Control: no-store'); header('Cache-Control: private', false); header('Pragma: no-cache');"
            . " header('Expires: 0'); header('Vary: Accept'); header('Vary: Cookie', false); header('Link: </a>; rel=x');",
        );
        yield 'set-header-etag' => self::code(
            "header('ETag: \"abc\"'); header('Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT');",
        );
        yield 'set-header-last-modified-malformed' => self::code("header('Last-Modified: yesterday');");
        yield 'set-header-content-length' => self::code("header('Content-Length: 4');");
        yield 'set-header-content-length-short' => self::code("header('Content-Length: 2');");
        yield 'set-header-content-length-long' => self::code("header('Content-Length: 10');");
        yield 'set-header-content-length-no-number' => self::code("header('Content-Length: x');");
        yield 'set-header-content-length-twice' => self::code(
            "header('Content-Length: 4'); header('Content-Length: 5', false);",
        );
        yield 'set-header-content-encoding' => self::code("header('Content-Encoding: identity');");
        yield 'set-header-after-output' => Question::get("<?php echo 'a'; flush(); header('X-A: 1'); http_response_code(500);");
        yield 'set-header-list' => Question::get("<?php header('X-A: 1'); header('X-A: 2', false); tell(headers_list());");
        yield 'set-header-expose' => self::code('')->ini('expose_php=0');
        yield 'conditional-not-modified' => Question::get(
            "<?php header('ETag: \"abc\"'); echo 'body';",
            '',
            'If-None-Match: "abc"',
        );
        yield 'conditional-modified-since' => Question::get(
            "<?php header('Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT'); echo 'body';",
            '',
            'If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT',
        );
        yield 'conditional-match' => Question::get("<?php header('ETag: \"abc\"'); echo 'body';", '', 'If-Match: "x"');
        yield 'range' => Question::get('<?php echo "0123456789";', '', 'Range: bytes=2-4');
        yield 'range-accepted' => Question::get(
            "<?php header('Accept-Ranges: bytes'); header('Content-Length: 10'); echo '0123456789';",
            '',
            'Range: bytes=2-4',
        );
        yield 'range-by-php' => Question::get(
            "<?php http_response_code(206); header('Content-Range: bytes 2-4/10'); header('Content-Length: 3'); echo '234';",
            '',
            'Range: bytes=2-4',
        );
    }

    /** @return iterable<string, Question> */
    private static function types(): iterable
    {
        yield 'type-default' => self::code('');
        yield 'type-default-of-nothing' => Question::get('<?php ');
        yield 'type-other-default' => self::code('')->ini('default_mimetype=text/x', 'default_charset=iso-8859-15');
        yield 'type-no-charset' => self::code('')->ini('default_charset=');
        yield 'type-no-default' => self::code('')->ini('default_mimetype=');
        yield 'type-text' => self::code("header('Content-Type: text/plain');");
        yield 'type-text-with-charset' => self::code("header('Content-Type: text/plain; charset=iso-8859-1');");
        yield 'type-quoted-charset' => self::code("header('content-type: text/plain;charset=\"utf-8\"; x=y');");
        yield 'type-json' => self::code("header('Content-Type: application/json');");
        yield 'type-charset-alone' => self::code("header('Content-Type: ; charset=x');");
        yield 'type-empty' => self::code("header('Content-Type:');");
        yield 'type-removed' => self::code("header('Content-Type: a/b'); header_remove('Content-Type');");
        yield 'type-twice' => self::code("header('Content-Type: a/b'); header('Content-Type: c/d', false);");
        yield 'type-nonsense' => self::code("header('Content-Type: nonsense');");
    }

    /** @return iterable<string, Question> */
    private static function cookies(): iterable
    {
        yield 'setcookie' => self::code("setcookie('a', 'b c;d', 0, '/p', 'shop.example', true, true);");
        yield 'setcookie-options' => self::code(
            "setcookie('a', 'b', ['path' => '/', 'samesite' => 'Lax', 'secure' => true, 'httponly' => true]);",
        );
        yield 'setcookie-expires' => self::code("setcookie('a', 'b', 2000000000);");
        yield 'setcookie-past' => self::code("setcookie('a', 'b', 1);");
        yield 'setcookie-deleted' => self::code("setcookie('a', ''); setcookie('b');");
        yield 'setcookie-raw' => self::code("setrawcookie('a', 'b%20c');");
        yield 'setcookie-many' => self::code("setcookie('a', '1'); setcookie('b', '2'); setcookie('a', '3');");
        yield 'setcookie-array' => self::code("setcookie('a[x]', '1'); setcookie('a[y]', '2');");
        yield 'setcookie-invalid' => Question::get(<<<'PHP'
            <?php
            $told = [];
            $bad = [['a=b', 'c'], ['', 'c'], ["a\n", 'c']];
            foreach ($bad as $one) {
                try {
                    $told[] = setcookie(...$one);
                } catch (ValueError $error) {
                    $told[] = $error->getMessage();
                }
            }
            tell($told);
            PHP);
        yield 'setcookie-then-header' => self::code("setcookie('a', '1'); header('Set-Cookie: b=2'); setcookie('c', '3');");
        yield 'setcookie-removed' => self::code("setcookie('a', '1'); header_remove('Set-Cookie');");
    }

    /** @return iterable<string, Question> */
    private static function callbacks(): iterable
    {
        yield 'headers-sent' => Question::get(<<<'PHP'
            <?php $before = headers_sent($file, $line);
            echo "x\n";
            flush();
            $after = headers_sent($file, $line);
            tell([$before, $after, basename($file), $line]);
            PHP);
        yield 'headers-sent-by-html' => Question::get(
            "<html>\n<?php flush();\nheader('X-A: 1');\nvar_dump(headers_sent(\$f, \$l), \$l);",
        );
        yield 'header-register-callback' => Question::get(<<<'PHP'
            <?php
            header_register_callback(function () {
                header('X-Called: ' . count(headers_list()));
                header_remove('X-Powered-By');
            });
            echo 'body';
            PHP);
        yield 'header-register-callback-twice' => Question::get(
            '<?php header_register_callback(fn () => header("X-A: 1")); header_register_callback(fn () => header("X-B: 2"));',
        );
        yield 'header-register-callback-prints' => Question::get(
            '<?php header_register_callback(function () { echo "from it "; }); echo "body";',
        );
        yield 'header-register-callback-throws' => Question::get(
            '<?php header_register_callback(function () { throw new Exception("thrown"); }); echo "body";',
        )->onlyClassic();
        yield 'header-register-callback-late' => Question::get(
            '<?php echo 1; flush(); var_dump(header_register_callback(fn () => header("X-A: 1")));',
        );
    }
}
