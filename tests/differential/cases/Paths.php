<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential\Cases;

use Howdah\Tests\Differential\Cases;
use Howdah\Tests\Differential\Question;

/** Which script answers which path; requests that are none. */
final class Paths implements Cases
{
    private const ECHO = '<?php echo $_SERVER["SCRIPT_NAME"], " ", $_SERVER["PATH_INFO"] ?? "-", " ", $_SERVER["PHP_SELF"];';

    public static function all(): iterable
    {
        yield from self::paths();
        yield from self::lines();
        yield from self::settings();
    }

    /** A request line and a Host header, for a site of several files. */
    private static function line(string $line): Question
    {
        return Question::raw(self::ECHO, "$line\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
            ->file('other.php', self::ECHO)->file('below/index.php', self::ECHO)->file('below/page.php', self::ECHO)
            ->file('plain.txt', "plain text\n")->file('empty/index.html', '<p>static</p>')->file('nothing/x.txt', 'x')
            ->file('.hidden.php', self::ECHO)->file('a'
                . ' b.php', self::ECHO)->file('CAPITAL.PHP', 'raw')->file('page.php.bak', 'raw')
            ->file('folder.php/x.txt', 'x')->file('unreadable.phtml', 'raw')->onlyClassic();
    }

    /** @return iterable<string, Question> */
    private static function paths(): iterable
    {
        $paths = [
            'other' => '/other.php',
            'below' => '/below/page.php',
            'folder-with-index' => '/below/',
            'folder-with-index-and-query' => '/below/?a=1',
            'folder-without-slash' => '/below',
            'folder-without-slash-and-query' => '/below?a=1',
            'folder-with-static-index' => '/empty/',
            'folder-without-index' => '/nothing/',
            'static' => '/plain.txt',
            'static-with-path-info' => '/plain.txt/more',
            'static-missing' => '/missing.txt',
            'missing' => '/missing.php',
            'path-info' => '/below/page.php/a/b',
            'path-info-of-folder' => '/below/index.php/',
            'static-then-php' => '/plain.txt/x.php',
            'script-then-php' => '/other.php/x.php',
            'folder-named-as-a-script' => '/folder.php',
            'hidden' => '/.hidden.php',
            'blank' => '/a%20b.php',
            'capitals' => '/CAPITAL.PHP',
            'backup' => '/page.php.bak',
            'trailing-dot' => '/other.php.',
            'trailing-blank' => '/other.php%20',
            'encoded-dot' => '/other%2Ephp',
            'encoded-slash' => '/below%2Fpage.php',
            'dots' => '/below/../other.php',
            'dots-encoded' => '/below/%2e%2e/other.php',
            'dots-above-the-root' => '/../../../../etc/passwd',
            'dots-encoded-above-the-root' => '/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
            'dot' => '/./other.php',
            'double-slash' => '//other.php',
            'zero-byte' => '/other.php%00.txt',
            'zero-byte-in-query' => '/other.php?a=%00',
            'bad-escape' => '/other.php%zz',
            'utf-8' => "/other.php/\u{e4}\u{20ac}",
            'encoded-question-mark' => '/other.php%3Fa=1',
            'semicolon' => '/other.php;jsessionid=1',
            'long-path-info' => '/other.php/' . str_repeat('long/', 800),
        ];
        foreach ($paths as $name => $path) {
            yield "path-$name" => self::line("GET {case}$path HTTP/1.1");
        }
        // As Debian's snippets/fastcgi-php.conf: nginx looks for the script, and forgets the path info unless it is kept.
        $looks = 'set $path_info $fastcgi_path_info; try_files $fastcgi_script_name =404; {prefix}_param PATH_INFO $path_info;';
        $found = [
            'missing-below' => '/nowhere/at/all.php',
            'missing-with-path-info' => '/missing.php/more/of/it',
            'path-info-of-a-page' => '/below/page.php/a/b?c=d',
            'page' => '/below/page.php',
            'static-then-php' => '/plain.txt/x.php',
            'blank-plus' => '/a+b.php',
            'capitals-of-a-script' => '/Other.php',
            'backslash' => '/below\\page.php',
            'long-name' => '/' . str_repeat('a', 300) . '.php',
        ];
        foreach ($found as $name => $path) {
            yield "try-files-$name" => self::line("GET {case}$path HTTP/1.1")->nginx($looks);
        }
        yield 'path-head-missing' => self::line('HEAD {case}/missing.php HTTP/1.1');
        yield 'path-post-static' => Question::raw(
            self::ECHO,
            "POST {case}/plain.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\n12345",
        )->file('plain.txt', 'plain')->onlyClassic();
    }

    /** @return iterable<string, Question> */
    private static function lines(): iterable
    {
        $rest = "\r\nHost: shop.example\r\nConnection: close\r\n\r\n";
        $lines = [
            'no-path' => "GET HTTP/1.1$rest",
            'no-version' => "GET {case}/index.php$rest",
            'bad-version' => "GET {case}/index.php HTTP/9.9$rest",
            'bad-protocol' => "GET {case}/index.php FTP/1.1$rest",
            'version-1-2' => "GET {case}/index.php HTTP/1.2$rest",
            'small-method' => "get {case}/index.php HTTP/1.1$rest",
            'odd-method' => "G-E_T {case}/index.php HTTP/1.1$rest",
            'bad-method' => "G@T {case}/index.php HTTP/1.1$rest",
            'connect' => "CONNECT shop.example:80 HTTP/1.1$rest",
            'trace' => "TRACE {case}/index.php HTTP/1.1$rest",
            'options-star' => "OPTIONS * HTTP/1.1$rest",
            'blanks' => "GET   {case}/index.php   HTTP/1.1$rest",
            'blank-in-path' => "GET {case}/index.php?a b HTTP/1.1$rest",
            'line-feeds' => "GET {case}/index.php HTTP/1.1\nHost: shop.example\nConnection: close\n\n",
            'empty-lines-first' => "\r\n\r\nGET {case}/index.php HTTP/1.1$rest",
            'zero-byte' => "GET {case}/index.php?\0 HTTP/1.1$rest",
            'control-byte' => "GET {case}/index.php?\x01 HTTP/1.1$rest",
            'no-host' => "GET {case}/index.php HTTP/1.1\r\nConnection: close\r\n\r\n",
            'two-hosts' => "GET {case}/index.php HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n",
            'bad-host' => "GET {case}/index.php HTTP/1.1\r\nHost: a/../b\r\nConnection: close\r\n\r\n",
            'empty-host' => "GET {case}/index.php HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n",
            'long-line' => 'GET {case}/index.php?' . str_repeat('x', 9000) . " HTTP/1.1$rest",
            'long-header' => "GET {case}/index.php HTTP/1.1\r\nX-Long: " . str_repeat('x', 9000) . $rest,
            'many-headers' => "GET {case}/index.php HTTP/1.1\r\n" . str_repeat('X-A:'
                . ' ' . str_repeat('x', 5000) . "\r\n", 9) . $rest,
            'header-without-colon' => "GET {case}/index.php HTTP/1.1\r\nNonsense$rest",
            'header-folded' => "GET {case}/index.php HTTP/1.1\r\nX-A: 1\r\n 2$rest",
            'header-blank-before-colon' => "GET {case}/index.php HTTP/1.1\r\nX-A : 1$rest",
            'header-zero-byte' => "GET {case}/index.php HTTP/1.1\r\nX-A: \0$rest",
            'header-no-name' => "GET {case}/index.php HTTP/1.1\r\n: 1$rest",
            'nonsense' => "nonsense\r\n\r\n",
            'binary' => "\x16\x03\x01\x02\x00\x01\x00",
            'upgrade' => "GET {case}/index.php HTTP/1.1\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nHost: a\r\n"
                . "Connection: upgrade, close\r\n\r\n",
        ];
        yield 'line-half-a-request' => Question::raw(self::ECHO, "GET {case}/index.php HTTP/1.1\r\nHost: a\r\n")->onlyClassic()
            ->half();
        foreach ($lines as $name => $bytes) {
            yield "line-$name" => Question::raw(self::ECHO, $bytes)->onlyClassic();
        }
    }

    /** @return iterable<string, Question> */
    private static function settings(): iterable
    {
        $tell = '<?php tell([ini_get("memory_limit"), ini_get("user_agent"), ini_get("post_max_size"),'
            . ' ini_get("date.timezone")]);';
        yield 'user-ini' => Question::get(
            $tell,
        )->file('.user.ini', "user_agent = from-user-ini\nmemory_limit=77M\n")->onlyClassic();
        yield 'user-ini-system-setting' => Question::get(
            '<?php echo ini_get("opcache.memory_consumption"), ini_get("sys_temp_dir");',
        )
            ->file('.user.ini', "opcache.memory_consumption=9\nsys_temp_dir=/\n")->onlyClassic();
        yield 'user-ini-per-directory' => Question::get(
            $tell,
        )->file('.user.ini', "post_max_size=3M\ndate.timezone=Asia/Tokyo\n")
            ->onlyClassic();
        yield 'user-ini-malformed' => Question::get($tell)->file('.user.ini', "user_agent = \"open\n[x\n= = \n")->onlyClassic();
        yield 'user-ini-prepend' => Question::get('<?php echo "script";')->file('.user.ini', "auto_prepend_file=first.php\n")
            ->file('first.php', '<?php echo "first ";')->onlyClassic();
        yield 'user-ini-is-not-served' => Question::raw(
            self::ECHO,
            "GET {case}/.user.ini HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n",
        )->file('.user.ini', 'user_agent=x')->onlyClassic();
        yield 'ini-values' => Question::get(
            $tell,
        )->ini('memory_limit=64M', 'user_agent="with blanks; and more"', 'date.timezone=UTC');
        yield 'ini-set-after-admin-value' => Question::get('<?php var_dump(ini_set("user_agent", "x"), ini_get("user_agent"));')
            ->ini('user_agent=set');
        yield 'chdir' => Question::get('<?php chdir("/"); echo getcwd(), " ", __DIR__;')->onlyClassic();
        yield 'include-relative' => Question::get('<?php include "part.php"; include "./part.php";')
            ->file('part.php', '<?php echo "part ";')->onlyClassic();
        yield 'include-missing' => Question::get('<?php include "missing.php"; echo "on"; require "missing.php"; echo "never";')
            ->onlyClassic();
        yield 'script-returns' => Question::get('<?php echo "a"; return 5; echo "never";');
        yield 'script-short-tags' => Question::get("<? echo 1 ?>x<?= 2 ?>")->ini('short_open_tag=1');
        yield 'script-shebang' => Question::get("#!/usr/bin/php\n<?php echo 'after it';");
        yield 'script-byte-order-mark' => Question::get("\xEF\xBB\xBF<?php echo 'after it'; header('X-A: 1');");
        yield 'script-halt' => Question::get(
            '<?php echo file_get_contents(__FILE__, false, null, __COMPILER_HALT_OFFSET__); __halt_compiler();data',
        )
            ->onlyClassic();
    }
}
