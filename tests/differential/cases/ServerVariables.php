<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential\Cases;

use Howdah\Tests\Differential\Cases;
use Howdah\Tests\Differential\Question;

/** All of $_SERVER, for requests of every kind. */
final class ServerVariables implements Cases
{
    public const TELL = <<<'PHP'
        <?php
        unset($_SERVER['FCGI_ROLE'], $_SERVER['FRANKENPHP_WORKER']); // see server-everything
        $types = array_map(gettype(...), array_intersect_key($_SERVER, ['REQUEST_TIME' => 1, 'REQUEST_TIME_FLOAT' => 1]));
        $variables = $types + $_SERVER;
        ksort($variables);
        tell($variables);
        PHP;

    public static function all(): iterable
    {
        yield from self::targets();
        yield from self::headers();
        yield from self::credentials();
        yield from self::connections();
    }

    /** @return iterable<string, Question> */
    private static function targets(): iterable
    {
        yield 'server-everything' => Question::get(str_replace("unset(\$_SERVER['FCGI", '//', self::TELL));
        yield 'server-plain' => Question::get(self::TELL);
        yield 'server-query' => Question::get(self::TELL, '?a=1&b=2');
        yield 'server-query-empty' => Question::get(self::TELL, '?');
        yield 'server-query-odd' => Question::get(self::TELL, '?&&=x&=&a==b?c?&%zz%&+');
        yield 'server-query-raw-bytes' => Question::get(self::TELL, "?\xC3\xA4=\xFF&<>\"'");
        yield 'server-query-long' => Question::get(self::TELL, '?' . str_repeat('long=value&', 600));
        $odd = implode(' ', array_map(
            static fn (string $name): string => "{prefix}_param \"$name\" \"of $name\";",
            ['12', '-3', '1a', '007', '-', 'A.B', 'S P', 'X[y]', 'Y[y][z]', 'L[', ' blank'],
        ));
        yield 'server-params-with-odd-names' => Question::get(self::TELL)->nginx($odd);
        yield 'server-path-info' => Question::get(self::TELL, '/a/b%20c?x=1')->onlyClassic();
        yield 'server-path-info-slash' => Question::get(self::TELL, '/')->onlyClassic();
        yield 'server-path-info-script' => Question::get(self::TELL, '/other.php/more')->onlyClassic();
        yield 'server-path-info-encoded-slash' => Question::get(self::TELL, '/a%2Fb//c')->onlyClassic();
        yield 'server-uri-encoded' => Question::raw(
            self::TELL,
            "GET {case}/%69ndex.php?q=%2F HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n",
        )->onlyClassic();
        yield 'server-uri-dots' => Question::raw(
            self::TELL,
            "GET {case}/x/../index.php HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n",
        )->onlyClassic();
        yield 'server-uri-slashes' => Question::raw(
            self::TELL,
            "GET /{case}///index.php HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n",
        )->onlyClassic();
        yield 'server-uri-fragment' => Question::raw(
            self::TELL,
            "GET {case}/index.php?a=1#b HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n",
        );
        yield 'server-absolute-uri' => Question::raw(
            self::TELL,
            "GET http://shop.example{case}/index.php?a=1 HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n",
        );
        yield 'server-absolute-uri-other-host' => Question::raw(
            self::TELL,
            "GET http://shop.example{case}/index.php HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        );
        yield 'server-absolute-uri-port' => Question::raw(
            self::TELL,
            "GET http://shop.example:81{case}/index.php HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        );
        yield 'server-folder' => Question::raw(
            self::TELL,
            "GET {case}/?a=1 HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n",
        );
        foreach (['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND', 'REPORT', 'LONGMETHODNAME'] as $method) {
            yield 'server-method-' . strtolower($method) => Question::ask($method, self::TELL, '', null);
        }
        yield 'server-method-post-without-body' => Question::ask('POST', self::TELL, '', null, 'Content-Length: 0');
        yield 'server-method-post-without-length' => Question::ask('POST', self::TELL, '', null);
        yield 'server-method-get-with-body' => Question::ask('GET', self::TELL, '', 'a=1', 'Content-Type: text/plain');
        yield 'server-method-head' => Question::ask('HEAD', self::TELL, '', null);
    }

    /** @return iterable<string, Question> */
    private static function headers(): iterable
    {
        yield 'header-many' => Question::get(self::TELL, '', ...array_map(
            static fn (int $number): string => "X-Header-$number: " . str_repeat('v', $number),
            range(1, 90),
        ));
        yield 'header-duplicate' => Question::get(self::TELL, '', 'X-Two: one', 'X-Two: two', 'x-two: three');
        yield 'header-duplicate-accept' => Question::get(self::TELL, '', 'Accept: text/html', 'Accept: text/plain;q=0.5');
        yield 'header-duplicate-forwarded' => Question::get(
            self::TELL,
            '',
            'X-Forwarded-For: 1.1.1.1',
            'X-Forwarded-For: 2.2.2.2',
        );
        yield 'header-duplicate-via' => Question::get(self::TELL, '', 'Via: 1.1 a', 'Via: 1.1 b', 'Warning: 1', 'Warning: 2');
        yield 'header-empty' => Question::get(self::TELL, '', 'X-Empty:', 'X-Blank:    ', 'Accept:');
        yield 'header-blanks' => Question::get(self::TELL, '', "X-Blanks:  \t a  b \t ", 'X-Tab: a' . "\t" . 'b');
        yield 'header-underscore' => Question::get(self::TELL, '', 'X_Under_Score: dropped', 'X-Under: kept');
        yield 'header-case' => Question::get(self::TELL, '', 'x-LOWER-uPPER: 1', 'ACCEPT: a');
        yield 'header-digits' => Question::get(self::TELL, '', '1: one', '2-3: two', '-: dash');
        yield 'header-odd-characters' => Question::get(self::TELL, '', "X-!#\$%&'*+.^`|~: odd", 'X.Dot: dot');
        yield 'header-bytes' => Question::get(self::TELL, '', "X-Bytes: \xC3\xA4\xFF\x80", 'X-Quote: "\'\\');
        yield 'header-name-bytes' => Question::get(self::TELL, '', "X-\xC3\xA4: a");
        yield 'header-value-long' => Question::get(self::TELL, '', 'X-Long: ' . str_repeat('long ', 1400));
        yield 'header-name-long' => Question::get(self::TELL, '', 'X-' . str_repeat('Long-', 60) . 'Name: long');
        yield 'header-name-longest' => Question::get(self::TELL, '', 'X-' . str_repeat('a', 2000) . ': longest');
        yield 'header-proxy' => Question::get(self::TELL, '', 'Proxy: http://evil.example', 'Https: on');
        yield 'header-like-cgi' => Question::get(
            self::TELL,
            '',
            'Content-Type: text/x',
            'Script-Name: x',
            'Remote-Addr: 6.6.6.6',
            'PHP-Value: memory_limit=1',
            'Document-Root: /etc',
        );
        yield 'header-connection-tokens' => Question::get(self::TELL, '', 'TE: trailers', 'Upgrade: h2c', 'Keep-Alive: 5');
        yield 'header-conditional' => Question::get(
            self::TELL,
            '',
            'If-None-Match: "a"',
            'If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT',
            'Range: bytes=0-1',
        );
        yield 'header-content-type-without-body' => Question::get(self::TELL, '', 'Content-Type: application/json');
        yield 'header-content-type-twice' => Question::post(self::TELL, 'text/a', 'x', 'Content-Type: text/b');
        yield 'header-host-port' => Question::raw(
            self::TELL,
            "GET {case}/index.php HTTP/1.1\r\nHost: shop.example:8080\r\nConnection: close\r\n\r\n",
        );
        yield 'header-host-capitals' => Question::raw(
            self::TELL,
            "GET {case}/index.php HTTP/1.1\r\nHost: SHOP.Example\r\nConnection: close\r\n\r\n",
        );
        yield 'header-host-dot' => Question::raw(
            self::TELL,
            "GET {case}/index.php HTTP/1.1\r\nHost: shop.example.\r\nConnection: close\r\n\r\n",
        );
        yield 'header-host-address' => Question::raw(
            self::TELL,
            "GET {case}/index.php HTTP/1.1\r\nHost: [::1]:81\r\nConnection: close\r\n\r\n",
        );
        yield 'header-host-unknown' => Question::raw(
            self::TELL,
            "GET {case}/index.php HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n",
        );
        yield 'header-host-missing-in-http-1-0' => Question::raw(self::TELL, "GET {case}/index.php HTTP/1.0\r\n\r\n");
    }

    /** @return iterable<string, Question> */
    private static function credentials(): iterable
    {
        $basic = static fn (string $text): string => 'Authorization: Basic ' . base64_encode($text);
        yield 'auth-basic' => Question::get(self::TELL, '', $basic('ann:secret'));
        yield 'auth-basic-colons' => Question::get(self::TELL, '', $basic('ann:se:cr:et'));
        yield 'auth-basic-empty-password' => Question::get(self::TELL, '', $basic('ann:'));
        yield 'auth-basic-empty-user' => Question::get(self::TELL, '', $basic(':secret'));
        yield 'auth-basic-no-colon' => Question::get(self::TELL, '', $basic('ann'));
        yield 'auth-basic-utf-8' => Question::get(self::TELL, '', $basic("\u{e4}nn:s\u{20ac}cret"));
        yield 'auth-basic-small' => Question::get(self::TELL, '', 'Authorization: basic ' . base64_encode('ann:secret'));
        yield 'auth-basic-no-base64' => Question::get(self::TELL, '', 'Authorization: Basic !!!');
        yield 'auth-basic-nothing' => Question::get(self::TELL, '', 'Authorization: Basic ');
        yield 'auth-digest' => Question::get(
            self::TELL,
            '',
            'Authorization: Digest username="ann", realm="r", nonce="n", uri="/", response="x", qop=auth',
        );
        yield 'auth-bearer' => Question::get(self::TELL, '', 'Authorization: Bearer abc.def.ghi');
        yield 'auth-empty' => Question::get(self::TELL, '', 'Authorization:');
        yield 'auth-twice' => Question::get(self::TELL, '', $basic('ann:1'), $basic('bob:2'));
    }

    /** @return iterable<string, Question> */
    private static function connections(): iterable
    {
        yield 'tls' => Question::get(self::TELL)->encrypted()->onlyClassic();
        yield 'tls-forwarded-proto' => Question::get(self::TELL, '', 'X-Forwarded-Proto: http')->encrypted()->onlyClassic();
        $trust = 'set_real_ip_from 127.0.0.1; real_ip_header X-Forwarded-For;';
        yield 'realip' => Question::get(self::TELL, '', 'X-Forwarded-For: 9.8.7.6')->nginx($trust);
        yield 'realip-port' => Question::get(self::TELL, '', 'X-Forwarded-For: 9.8.7.6:1234')->nginx($trust);
        yield 'realip-v6' => Question::get(self::TELL, '', 'X-Forwarded-For: 2001:db8::1')->nginx($trust);
        yield 'realip-nonsense' => Question::get(self::TELL, '', 'X-Forwarded-For: nonsense')->nginx($trust);
        yield 'http-1-0' => Question::raw(self::TELL, "GET {case}/index.php?a HTTP/1.0\r\nHost: shop.example\r\n\r\n");
        yield 'http-1-0-keep-alive' => Question::raw(
            '<?php echo $_SERVER["QUERY_STRING"];',
            "GET {case}/index.php?first HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
            "GET {case}/index.php?second HTTP/1.0\r\n\r\n",
        );
        yield 'http-0-9' => Question::raw(self::TELL, "GET {case}/index.php\r\n");
        yield 'pipelined' => Question::raw(
            '<?php tell([$_GET, $_POST, $_SERVER["REQUEST_METHOD"], file_get_contents("php://input")]);',
            "GET {case}/index.php?1 HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST {case}/index.php?2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n"
                . "Content-Type: application/x-www-form-urlencoded\r\n\r\na=1",
            "HEAD {case}/index.php?3 HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET {case}/index.php?4 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        );
        yield 'basic-auth-of-nginx' => Question::get(self::TELL, '', 'Authorization: Basic ' . base64_encode('ann:secret'))
            ->file('users', "ann:{PLAIN}secret\n")
            ->nginx('auth_basic shop; auth_basic_user_file $document_root/basic-auth-of-nginx/users;');
        yield 'parameters' => Question::get('<?php tell([$argc ?? null, $argv ?? null, $_SERVER["argv"] ?? null]);', '?a+b+c');
        yield 'parameters-with-register-argc-argv' => Question::get(
            '<?php tell([$argc ?? null, $argv ?? null, $_SERVER["argv"] ?? null, $_SERVER["argc"] ?? null]);',
            '?a+b+c=d',
        )->ini('register_argc_argv=1');
    }
}
