<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Htaccess\Rewriting;
use Howdah\Cli\ProjectFinder;
use Howdah\Cli\Protection;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** What is not published, by the project's .htaccess files and by what lies where; in a real nginx: ApplicationsTest. */
#[Group('other')]
final class ProtectionTest extends CliTestCase
{
    private const DENIED = "<IfModule mod_authz_core.c>\nRequire all denied\n</IfModule>\n<IfModule !mod_authz_core.c>\n"
        . "Order deny,allow\nDeny from all\n</IfModule>\n";

    /** @var array<string, Protection> by the project's folder */
    private array $protections = [];

    /** @return iterable<string, array{string, array<string, string>}> */
    public static function texts(): iterable
    {
        $all = ['/d/a.txt' => '403', '/d/b/c.jpg' => '403', '/d/a.php' => '403', '/e.txt' => ''];
        yield 'Apache 2.4' => ['Require all denied', $all];
        yield 'Apache 2.2' => ["Order deny,allow\nDeny from all", $all];
        yield 'in any case' => ["  ORDER Allow,Deny\n\tdeny FROM All # no comment", $all];
        yield 'without an order' => ['deny from all', $all];
        yield 'nobody is allowed' => ['Order allow,deny', $all];
        yield 'both' => [self::DENIED, $all];
        yield 'for an old Apache only' => ["<IfModule !mod_authz_core.c>\nDeny from all\n</IfModule>", $all];
        yield 'a comment before it' => ["\xEF\xBB\xBF# secret\n\nRequire   all   denied", $all];
        yield 'behind a byte order mark' => ["\xEF\xBB\xBFRequire all denied", $all];
        yield 'of all methods but one' => ["<LimitExcept POST>\nRequire all denied\n</LimitExcept>", $all];
        yield 'over two lines' => ["Require all \\\n denied", $all];
        yield 'with returns' => ["# a\r\nRequire all denied\r\n", $all];
        yield 'in a section of all files' => ["<Files *>\nOrder Deny,Allow\nDeny from all\n"
            . "Allow from localhost\n</Files>", $all];
        yield 'in <FilesMatch>' => ["<FilesMatch \".*\">\nRequire all denied\n</FilesMatch>", $all];
        yield 'in <Limit>' => ["<Limit GET POST>\norder deny,allow\ndeny from all\n</Limit>", $all];
        yield 'for some visitors' => ["AuthType Basic\nRequire valid-user", $all];
        yield 'for this machine' => ['Require local', $all];
        yield 'for some hosts' => ["Order deny,allow\nDeny from all\nAllow from 10.0.0.1", $all];
        yield 'for no host' => ["Allow from none\nDeny from all", $all];
        yield 'RewriteRule' => ["RewriteEngine on\nRewriteRule ^ - [F]", $all];
        yield 'RewriteRule, not this and not that' => ["RewriteRule !^never$ - [F,L]", $all];
        yield 'a comment only' => ['# Require all denied', ['/d/a.txt' => '']];
        yield 'of other methods' => ["<LimitExcept GET POST>\ndeny from all\n</LimitExcept>", ['/d/a.txt' => '']];
        yield 'published' => ['Require all granted', ['/d/a.txt' => '', '/d/composer.json' => '']];
        yield 'all but one' => ["Require all granted\nRequire not ip 10.0.0.1", ['/d/a.txt' => '']];
        yield 'none of all' => ["<RequireNone>\nRequire all granted\n</RequireNone>", $all];
        yield 'all and none' => ["<RequireAll>\nRequire all granted\n<RequireNone>\nRequire all granted\n</RequireNone>\n"
            . '</RequireAll>', $all];
        yield 'none of some, and no others' => ["<RequireNone>\nRequire ip 10.0.0.1\n</RequireNone>", $all];
        yield 'all but some' => ["<RequireAll>\nRequire all granted\n<RequireNone>\nRequire ip 10.0.0.1\n</RequireNone>\n"
            . '</RequireAll>', ['/d/a.txt' => '']];
        yield 'none of none' => ["Require all granted\n<RequireNone>\nRequire all denied\n</RequireNone>", ['/d/a.txt' => '']];
        yield 'one ending' => ["<FilesMatch \"\\.(inc|SQL)$\">\nRequire all denied\n</FilesMatch>", [
            '/d/a.inc' => '403', '/d/b/a.inc' => '403', '/d/a.inc.txt' => '', '/d/x.inc/a.txt' => '', '/a.inc' => '',
        ]];
        yield 'one beginning' => ["<FilesMatch \"^(secret|\\.ht)\">\nDeny from all\n</FilesMatch>", [
            '/d/secret.txt' => '403', '/d/b/secrets' => '403', '/d/a-secret' => '', '/d/secret/a.txt' => '',
        ]];
        yield 'a pattern with stars' => ["<Files \"*.t?t\">\nDeny from all\n</Files>", ['/d/a.txt' => '403',
            '/d/a.text' => '']];
        yield 'a pattern after a tilde' => ["<Files ~ \"\\.log$\">\nDeny from all\n</Files>", ['/d/a.log' => '403',
            '/d/a' => '']];
        yield 'all but images' => ["Deny from all\n<FilesMatch \"\\.(jpg|png)$\">\nAllow from all\n</FilesMatch>", [
            '/d/a.jpg' => '', '/d/a.txt' => '403', '/d/b/a.png' => '', '/d/png' => '403',
        ]];
        yield 'no scripts' => ['php_flag engine off', ['/d/a.php' => '403', '/d/b/a.php' => '403', '/d/a.txt' => '']];
        $off = ['/d/a.php' => '403', '/d/b/a.php' => '403', '/d/a.txt' => ''];
        foreach (['mod_php5.c', 'mod_php7.c', 'php7_module', 'mod_php4.c', '!mod_php7.c', '!mod_php5.c'] as $module) {
            yield "no scripts, for $module" => ["<IfModule $module>\nphp_flag engine off\n</IfModule>", $off];
        }
        yield 'no scripts, in a section of a section' => ["<IfModule mod_php5.c>\n<IfModule mod_version.c>\n"
            . "php_admin_flag engine Off\n</IfModule>\n</IfModule>", $off];
        yield 'no scripts, as a value' => ["php_value engine 0", $off];
        yield 'no scripts, by their ending, for an old PHP' => ["<IfModule mod_php5.c>\nRemoveHandler .php\n</IfModule>", $off];
        yield 'scripts, for an old PHP' => ["<IfModule mod_php5.c>\nphp_flag engine on\n</IfModule>", ['/d/a.php' => '']];
        yield 'scripts are text' => ['RemoveHandler .php .phtml', ['/d/a.php' => '403', '/d/a.txt' => '']];
        yield 'scripts are programs' => ['AddHandler cgi-script .php .pl', ['/d/a.php' => '403', '/d/a.txt' => '']];
        yield 'scripts are nothing, as Drupal says it' => ["<Files *>\nSetHandler Drupal_Security\n</Files>", [
            '/d/a.php' => '403', '/d/a.txt' => '',
        ]];
        yield 'one type of files is PHP' => ['AddType application/x-httpd-php .html', ['/d/a.php' => '', '/d/a.html' => '']];
        yield 'folders go to the front controller' => ["RewriteRule ^(content|site)/(.*) index.php [L]", [
            '/d/content/a.txt' => 'front', '/d/site/a/b.php' => 'front', '/d/media/content/a.txt' => '', '/content/a' => '',
        ]];
        yield 'gone' => ["RewriteRule ^old/ - [G]\nRewriteRule ^older - [R=404,L]", ['/d/old/a' => '410',
            '/d/older' => '404']];
        yield 'in any case of letters' => ["RewriteRule ^Old/ - [F,NC]", ['/d/oLD/a' => '403', '/d/o' => '']];
        yield 'with conditions' => [
            "RewriteCond %{REQUEST_URI} (^|/)(cache|logs)($|/) [NC,OR]\nRewriteCond %{REQUEST_URI} \\.info$\n"
                . "RewriteCond %{REQUEST_URI} !public\nRewriteRule ^.*$ - [F,L]",
            ['/d/cache/a' => '403', '/d/LOGS/a' => '403', '/d/x.info' => '403', '/d/public.info' => '', '/d/a' => '',
                '/x/logs/a' => ''],
        ];
        yield 'files that are there go on' => [
            "RewriteCond %{REQUEST_FILENAME} -f [OR]\nRewriteCond %{REQUEST_FILENAME} -d\nRewriteRule ^ - [L]\n"
                . "RewriteRule . - [F]",
            ['/d/a.txt' => ''],
        ];
        yield 'one folder goes on' => ["RewriteRule ^assets/ - [L]\nRewriteRule ^ - [F]", ['/d/assets/a' => '',
            '/d/a' => '403']];
        yield 'what is no file' => ["RewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^ - [F]", ['/d/a.txt' => '']];
        yield 'only some endings are files' => ["RewriteRule !\\.(js|css|png)$ index.php", ['/d/a.css' => '',
            '/d/a.sh' => 'front']];
        yield 'a condition that compares' => ["RewriteCond %{REQUEST_URI} !=/d/a.txt\nRewriteRule ^ - [F]", [
            '/d/a.txt' => '', '/d/b.txt' => '403', '/d/=/d/a.txt' => '403',
        ]];
        yield 'a condition on file names' => ["RewriteCond %{REQUEST_FILENAME} !\\.(css|js)$\nRewriteRule . index.php", [
            '/d/a.css' => '', '/d/a.txt' => 'front',
        ]];
        yield 'RedirectMatch' => ["RedirectMatch 403 /\\.git\nRedirect 404 /d/x", ['/d/b/.git/c' => '403',
            '/d/x/y' => '404']];
    }

    /** @param array<string, string> $expected by path */
    #[DataProvider('texts')]
    public function test_what_a_folder_s_file_says(string $text, array $expected): void
    {
        $root = $this->project(['index.php' => '', 'd/.htaccess' => $text]);
        $verdicts = array_map(fn (string $path): string => $this->verdict($root, $path), array_keys($expected));

        self::assertSame($expected, array_combine(array_keys($expected), $verdicts));
    }

    public function test_of_two_folders_the_inner_one_counts(): void
    {
        $root = $this->project([
            'index.php' => '',
            'a/.htaccess' => 'Require all denied',
            'a/public/.htaccess' => 'Require all granted',
            'a/public/not/.htaccess' => self::DENIED,
            'data/.htaccess' => 'Require all granted',
        ]);

        $paths = ['/a/x', '/a/b/x', '/a/public/x', '/a/public/b/x', '/a/public/not/x', '/data/x'];
        $verdicts = array_map(fn (string $path): string => $this->verdict($root, $path), $paths);
        self::assertSame(['403', '403', '', '', '403', ''], $verdicts);
    }

    public function test_files_below_well_known_are_followed_as_well(): void
    {
        $text = "<Files secret.txt>\nRequire all denied\n</Files>\nphp_flag engine off\nRedirect 301 /a /b";
        $root = $this->project(['index.php' => '', '.well-known/x/.htaccess' => $text, '.hidden/.htaccess' => $text]);
        $asked = ['/.well-known/x/secret.txt' => '403', '/.well-known/x/run.php' => '403', '/.well-known/x/a.txt' => ''];

        self::assertSame($asked, $this->verdicts($root, array_keys($asked)));
        $lines = implode("\n", $this->protection($root)->unfollowed());
        self::assertStringContainsString("$root/.well-known/x/.htaccess: not followed: line 5 ", $lines);
        self::assertStringNotContainsString('.hidden', $lines);
    }

    /** @return iterable<string, array{string, array<string, string>}> */
    public static function reaching(): iterable
    {
        $granted = "\nRequire all granted\n";
        foreach (['x)|.*(', '^a)|(.*', 'x)|(?:.*', '\\Qx', '(?x)x#', '[', 'x\\', 'x\\E)))|(.*'] as $pattern) {
            yield "<FilesMatch>: $pattern" => ["<FilesMatch \"$pattern\">$granted</FilesMatch>", []];
            yield "RewriteRule: $pattern" => ["RewriteRule \"$pattern\" - [G]", []];
            yield "RewriteRule, not so: $pattern" => ["RewriteRule \"!$pattern\" - [G]", []];
            yield "RewriteCond: $pattern" => ["RewriteCond %{REQUEST_URI} \"$pattern\"\nRewriteRule ^ - [G]", []];
            yield "RedirectMatch: $pattern" => ["RedirectMatch 410 \"$pattern\"", []];
        }
        yield '<Files>' => ["<Files \"x[\">$granted</Files>", []];
        yield '<Files> with a class' => ["<Files \"x[)|.*(\">$granted</Files>", ['/d/composer.lock' => '403', '/d/x' => '']];
        yield 'a condition that another one ends' => [
            "RewriteCond %{REQUEST_URI} \\Qa [OR]\nRewriteCond %{REQUEST_URI} b\\E\nRewriteRule ^ - [G]", [],
        ];
        yield 'of two, without a group' => ["<FilesMatch \"x|.*\">$granted</FilesMatch>", ['/d/composer.lock' => '']];
        yield 'of two, at their beginnings' => ["RewriteRule \"^a|^\" - [G]", ['/d/a' => '410', '/d/b' => '410']];
        yield 'of two conditions' => ["RewriteCond %{REQUEST_URI} \"x|\"\nRewriteRule \"a|\" - [G]", ['/d/b' => '410']];
        yield 'RedirectMatch, of two' => ['RedirectMatch 410 "a|^"', ['/d/b' => '410']];
        yield 'RedirectMatch of every path' => ['RedirectMatch 410 ^/', ['/d/b' => '410']];
        yield 'Redirect of every path' => ['Redirect gone /', ['/d/b' => '410']];
        yield 'an exclamation mark' => ['RedirectMatch 410 !x', ['/d/!x' => '410', '/d/b' => '']];
        yield 'a match that ends at once' => ["RewriteCond %{REQUEST_URI} (*ACCEPT)\nRewriteRule (*ACCEPT) - [G]", [
            '/d/b' => '410',
        ]];
    }

    /** @param array<string, string> $inside by path; nothing: it is named, and means nothing */
    #[DataProvider('reaching')]
    public function test_a_folder_s_patterns_are_of_nothing_outside_of_it(string $text, array $inside): void
    {
        $root = $this->project(['index.php' => '', 'd/.htaccess' => $text]);
        $outside = ['/composer.lock' => '403', ...array_fill_keys(['/a', '/x', '/e/a.txt', '/dx', '/e/d/x', '/!x'], '')];
        $unfollowed = $inside === [] ? ['/d/a' => '', '/d/x' => '', '/d/composer.lock' => '403'] : $inside;

        $expected = [...$outside, ...$unfollowed];
        self::assertSame($expected, $this->verdicts($root, array_keys($expected)));
        self::assertCount($inside === [] ? 1 : 0, $this->protection($root)->unfollowed());
    }

    /** nginx tries all of them in turn, and one that it cannot match at all is an error for the paths of all folders. */
    public function test_a_pattern_without_an_end_is_not_tried_outside_of_its_folder(): void
    {
        $text = "RewriteCond %{REQUEST_URI} (?R)\nRewriteRule ^ - [G]";
        $root = $this->project(['index.php' => '', 'd/.htaccess' => $text, 'e/.htaccess' => 'Require all denied']);

        self::assertSame('403', $this->verdict($root, '/e/aaa'));
        foreach ($this->protection($root)->rules() as [$regex]) {
            self::assertNotFalse(@preg_match("\x01$regex\x01", '/e/aaa'), $regex);
        }
    }

    public function test_folders_may_have_any_names(): void
    {
        foreach (["a\nb", 'a"b', 'a{$b;}', "a\x01b", 'a\\E)|(b', 'a b', '#a'] as $name) {
            $text = "Require all denied\n<FilesMatch \"^open\">\nRequire all granted\n</FilesMatch>";
            $root = $this->project(['index.php' => '', "$name/.htaccess" => $text]);
            $asked = ["/$name/secret" => '403', "/$name/below/secret" => '403', "/$name/open" => '', '/b/secret' => ''];

            self::assertSame($asked, $this->verdicts($root, array_keys($asked)));
            self::assertSame([], $this->protection($root)->unfollowed());
        }
    }

    /** @return iterable<string, array{string, list<string>}> */
    public static function unfollowed(): iterable
    {
        yield 'a redirection' => ["RewriteEngine On\nRewriteRule ^old/(.*)$ /new/$1 [R=301,L]",
            ['line 2 `RewriteRule ^old/', 'say it in the application']];
        yield "Laravel's slash" => ["RewriteCond %{REQUEST_FILENAME} !-d\nRewriteCond %{REQUEST_URI} (.+)/$\n"
            . 'RewriteRule ^ %1 [L,R=301]', ['line 3 `RewriteRule ^ %1 [L,R=301]`; say it in the application']];
        yield "CodeIgniter's host" => ["RewriteCond %{HTTP_HOST} ^www\\.(.+)$ [NC]\n"
            . 'RewriteRule ^ http://%1%{REQUEST_URI} [R=301,L]', ['line 2 `RewriteRule', 'say it in the application']];
        yield 'a redirection to where one logs in' => ['RewriteRule ^intern/ /login [R=302,L]',
            ['line 1 `RewriteRule', 'has to be protected']];
        yield 'another file' => ['RewriteRule ^a/(.*)$ b/$1 [QSR,L]', ['has to be protected']];
        yield 'by who asks' => ["RewriteCond %{HTTP_USER_AGENT} bot\nRewriteRule ^ - [F]", ['line 2 `RewriteRule ^ - [F]`']];
        yield 'some hosts' => ['Deny from 10.0.0.1', ['line 1 `Deny from 10.0.0.1`']];
        yield 'not some hosts' => ["Require all granted\n<RequireNone>\nRequire ip 10.0.0.1\n</RequireNone>",
            ['line 3 `Require ip 10.0.0.1`']];
        yield 'users' => ["AuthType Basic\nRequire valid-user", ['line 2 `Require valid-user`']];
        yield 'a query for the front controller' => ["RewriteCond %{REQUEST_FILENAME} !-f\n"
            . "RewriteRule ^(.*)$ index.php?q=$1 [L,QSA]",
            ['line 2 `RewriteRule']];
        yield 'an expression' => ["<If \"%{HTTP_HOST} == 'a'\">\nRequire all denied\n</If>", ['line 1 `<If ']];
        yield 'a setting and a header' => ["php_value memory_limit 1G\nHeader set X-A b", ['line 1 `php_value',
            'line 2 `Header']];
        yield 'headers after what matters' => ["Header set A b\nphp_value a b\nRewriteRule ^a$ /b [R]",
            ['followed: line 3 `RewriteRule ^a$ /b [R]`, line 1 `Header set A b`, line 2 `php_value a b`;']];
        yield 'another file by what a client accepts' => ["RewriteCond %{HTTP:Accept-encoding} br\n"
            . "RewriteCond %{REQUEST_FILENAME}\\.br -s\nRewriteRule ^(.*)\\.css$ $1.css.br", ['line 3 `RewriteRule']];
        yield 'settings of old versions of PHP' => ["<IfModule mod_php5.c>\nphp_flag magic_quotes_gpc off\n</IfModule>", []];
        yield 'no host' => ["Allow from none\nDeny from all", []];
        yield 'tabs between words' => ["Header\tset\t\tA b", ['line 1 `Header set A b`']];
        yield 'more than three' => [str_repeat("Header set A b\n", 5), ['line 3 `Header set A b` and 2 more']];
        yield 'a section on one line' => ["<Files \"a.txt\">Require all denied</Files>", ['line 1 `<Files "a.txt">Require']];
        yield 'a pattern that is none' => ["RewriteRule ^(a - [F]", ['line 1 `RewriteRule ^(a']];
        yield 'a group with a name' => ["RewriteRule ^(?<uri>a) - [F]", ['line 1 `RewriteRule ^(?<uri>a)']];
        yield 'what every framework has' => [
            "Options -MultiViews -Indexes\nRewriteEngine On\nRewriteBase /\nDirectoryIndex index.php\n"
                . "RewriteCond %{HTTP:Authorization} .\nRewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]\n"
                . "RewriteRule ^index\\.php$ - [L]\nRewriteCond %{REQUEST_FILENAME} !-d\n"
                    . "RewriteCond %{REQUEST_FILENAME} !-f\n"
                . "RewriteRule ^ index.php [L]\n<IfModule mod_expires.c>\nExpiresActive on\n</IfModule>\nCGIPassAuth On\n",
            [],
        ];
    }

    /** @return iterable<string, array{string, array<string, string>, string}> text, scripts by address, and what is named */
    public static function fronts(): iterable
    {
        $missing = "RewriteCond %{REQUEST_FILENAME} !-f\n";
        $on = "RewriteEngine On\n$missing";
        $none = ['/d/a' => ''];
        yield 'a script' => ["{$on}RewriteRule ^ run.php [L]", ['/d/a' => '/d/run.php', '/a' => ''], ''];
        foreach (['^(.*)$', '(.*)', '^(.+)$', '^([\s\S]*)$'] as $all) {
            yield "the rest of the path, by $all" => ["{$on}RewriteRule $all run.php/$1 [L]", [
                '/d/a/b' => '/d/run.php/a/b'], ''];
        }
        $parts = ['^a/(.*)$ run.php/$1', '^(\w+)/(\d+)$ run.php/$2', '^(.*)$ run.php$1', '^(a)(.*)$ run.php/$1',
            '^(.*)$ run.php/$0', '^a/(.*)$ index.php/$1'];
        foreach ($parts as $part) {
            yield "a part of the path: $part" => ["{$on}RewriteRule $part [L]", ['/d/a/1' => ''], 'line 3'];
        }
        yield 'the own query' => ["{$on}RewriteRule ^ run.php?%{QUERY_STRING} [L]", ['/d/a' => '/d/run.php'], ''];
        yield 'the own query twice' => ["{$on}RewriteRule ^ index.php?%{QUERY_STRING} [QSA]", $none, 'line 3'];
        yield 'an address that a condition has found' => [
            "{$on}RewriteCond %{REQUEST_URI} (.*/d)\nRewriteRule ^ %1/run.php", ['/d/a' => '/d/run.php'], ''];
        yield 'a part of the address that a condition has found' => [
            "{$on}RewriteCond %{REQUEST_URI} ^/d/(\w+)\nRewriteRule ^ %1/run.php", $none, 'line 4'];
        yield 'a query' => ["{$on}RewriteRule ^ index.php?a=b [L]", $none, 'line 3'];
        yield 'no query' => ["{$on}RewriteRule ^ index.php [QSD,L]", $none, 'line 3'];
        yield 'a rule that is off' => ["{$on}RewriteRule ^ run.php [L]\nRewriteEngine Off", $none, ''];
        yield 'a rule that nothing switches on' => ["{$missing}RewriteRule ^ run.php [L]", $none, ''];
        foreach (['Files *.html', 'FilesMatch x', 'Limit GET', 'LimitExcept POST'] as $section) {
            [$name] = explode(' ', $section);
            foreach (['RewriteRule ^ run.php [L]', 'FallbackResource /d/run.php', 'DirectoryIndex run.php'] as $line) {
                yield "$line in $name" => ["$on<$section>\n$line\n</$name>", ['/d/' => '', '/d/a' => ''], "line 4 `$line`"];
            }
        }
        yield 'in <IfModule>' => ["<IfModule mod_rewrite.c>\n{$on}RewriteRule ^ run.php\n</IfModule>", [
            '/d/a' => '/d/run.php'], ''];
        yield 'another base' => ["{$on}RewriteBase /e\nRewriteRule ^ run.php", ['/d/a' => '/e/run.php'], ''];
        yield 'another base, with a script that has its whole address' => [
            "{$on}RewriteBase /\nRewriteRule ^ /d/run.php", ['/d/a' => '/d/run.php'], ''];
        yield 'another base, behind the rule' => ["{$on}RewriteRule ^ run.php\nRewriteBase /e/", $none, 'line 4'];
        yield 'a base of which nothing is known' => ["{$on}RewriteBase \${BASE}\nRewriteRule ^ run.php", $none, 'line 3'];
        yield 'the last FallbackResource' => ["FallbackResource /d/run.php\nFallbackResource /e/run.php", [
            '/d/a' => '/e/run.php'], ''];
        yield 'FallbackResource that is taken back' => ["FallbackResource /d/run.php\nFallbackResource disabled", $none,
            'line 2'];
        yield 'FallbackResource that each folder has another of' => ['FallbackResource run.php', $none, 'line 1'];
        yield 'an index' => ['DirectoryIndex index.php index.html run.php', ['/d/' => '/d/run.php', '/d/a' => ''], ''];
        yield 'an index before index.php' => ['DirectoryIndex run.php index.php', ['/d/' => '/d/run.php'], 'line 1'];
        yield 'index.html before index.php' => ['DirectoryIndex index.html index.php', ['/d/' => ''], 'line 1'];
    }

    /** @param array<string, string> $scripts */
    #[DataProvider('fronts')]
    public function test_a_folder_s_front_controller_is_what_apache_makes_it(string $text, array $scripts, string $named): void
    {
        $root = $this->project(['index.php' => '', 'd/run.php' => '', 'e/run.php' => '', 'd/.htaccess' => $text]);

        $got = [];
        foreach (array_keys($scripts) as $address) {
            $got[$address] = '';
            foreach ($this->protection($root)->fronts('/index.php') as [$regex, $script, $hasRest]) {
                if ($got[$address] === '' && preg_match("\x01$regex\x01", $address, $match) === 1) {
                    $got[$address] = $script . ($hasRest ? $match[Rewriting::REST] : '');
                }
            }
        }
        self::assertSame($scripts, $got);
        $lines = $this->protection($root)->unfollowed();
        self::assertCount($named === '' ? 0 : 1, $lines, implode("\n", $lines));
        self::assertStringContainsString($named, $lines[0] ?? '');
    }

    public function test_a_folder_s_rules_are_on_where_those_of_the_folder_above_are(): void
    {
        $files = ['index.php' => '', 'd/e/run.php' => '', 'd/e/.htaccess' => 'RewriteRule ^ run.php',
            '.htaccess' => 'RewriteEngine On'];
        self::assertCount(1, $this->protection($this->project($files))->fronts('/index.php'));

        $off = $this->project(['d/.htaccess' => 'RewriteEngine Off'] + $files);
        self::assertSame([], $this->protection($off)->fronts('/index.php'));
    }

    /** Of folders that have such names: what is composed is longer than each of its parts. */
    public function test_front_controllers_that_nginx_cannot_take_are_named(): void
    {
        $deep = implode('/', array_fill(0, 4, str_repeat('-', 200)));
        $texts = ['DirectoryIndex run.php' => 3, 'FallbackResource /run.php' => 3,
            "RewriteEngine On\nRewriteRule ^(.*)$ /run.php/$1" => 1];
        foreach ($texts as $text => $times) {
            $folder = implode('/', array_fill(0, $times, $deep));
            $root = $this->project(['index.php' => '', 'run.php' => '', "$folder/run.php" => '', "$folder/.htaccess" => $text]);

            self::assertSame([], $this->protection($root)->fronts('/index.php'), $text);
            self::assertStringContainsString('not followed: line', implode('', $this->protection($root)->unfollowed()), $text);
        }
    }

    /** Classic mode may come later, when a worker script does not boot. */
    public function test_folders_keep_their_front_controllers_where_a_worker_script_is_found(): void
    {
        $root = $this->project(['index.php' => '', 'frankenphp-worker.php' => '', 'shop/index.php' => '',
            'shop/.htaccess' => 'FallbackResource /shop/index.php', '.htaccess' => 'FallbackResource /index.php']);

        self::assertSame([['^/shop/', '/shop/index.php', false]], $this->protection($root)->fronts('/index.php'));
    }

    /** @param list<string> $parts of the one line, or no line */
    #[DataProvider('unfollowed')]
    public function test_what_cannot_be_followed_is_named(string $text, array $parts): void
    {
        $root = $this->project(['index.php' => '', 'd/.htaccess' => $text]);

        $lines = $this->protection($root)->unfollowed();

        self::assertCount($parts === [] ? 0 : 1, $lines, implode("\n", $lines));
        foreach ($parts as $part) {
            self::assertStringContainsString("$root/d/.htaccess: not followed: ", $lines[0]);
            self::assertStringContainsString($part, $lines[0]);
        }
    }

    public function test_a_site_that_is_for_nobody_or_for_some_is_not_served(): void
    {
        foreach (['Require all denied', "AuthType Basic\nRequire valid-user"] as $text) {
            $root = $this->project(['index.php' => '', '.htaccess' => $text]);

            $message = $this->failure(fn () => $this->protection($root));

            self::assertStringContainsString("$root/.htaccess refuses the whole site", $message);
        }
    }

    public function test_what_is_no_file_is_not_waited_for_and_refuses_its_folder(): void
    {
        $root = $this->project(['index.php' => '', 'd/a.txt' => '', 'e/a.txt' => '', 'e/.htaccess/a' => '']);
        $writers = [];
        foreach (["$root/d/.htaccess", "$root/composer.json"] as $pipe) {
            posix_mkfifo($pipe, 0600);
            // Who reads it finds something, rather than wait for ever.
            $writer = proc_open(['sh', '-c', 'echo Require all granted >"$0" 2>/dev/null', $pipe], [], $pipes);
            self::assertIsResource($writer);
            $writers[] = [$pipe, $writer];
        }
        $verdicts = $this->verdicts($root, ['/d/a.txt', '/e/a.txt']);
        $said = implode("\n", $this->protection($root)->unfollowed());
        foreach ($writers as [$pipe, $writer]) {
            $reader = fopen($pipe, 'rn');
            proc_close($writer);
            self::assertIsResource($reader);
            fclose($reader);
        }
        self::assertSame(['/d/a.txt' => '403', '/e/a.txt' => '403'], $verdicts);
        self::assertStringContainsString("all below $root/d/ is refused: .htaccess in it cannot be read", $said);
        self::assertStringContainsString("all below $root/e/ is refused", $said);
        unlink("$root/d/.htaccess");
        posix_mkfifo("$root/.htaccess", 0600);
        $message = $this->failure(fn () => new Protection((new ProjectFinder())->find($this->options('', $root))));
        self::assertStringContainsString("$root/.htaccess cannot be read", $message);
    }

    /** As a Windows editor saves it in UTF-16: Apache refuses all below it, for it knows no such directive. */
    public function test_what_is_no_text_refuses_its_folder(): void
    {
        $text = "\xFF\xFE" . implode("\0", str_split('Require all denied')) . "\0";
        $root = $this->project(['index.php' => '', 'd/a.txt' => '', 'd/.htaccess' => $text]);

        self::assertSame(['/d/a.txt' => '403'], $this->verdicts($root, ['/d/a.txt']));
        $said = implode("\n", $this->protection($root)->unfollowed());
        self::assertStringContainsString("all below $root/d/ is refused: .htaccess in it cannot be read", $said);
    }

    public function test_what_no_project_publishes_is_kept_and_said(): void
    {
        $root = $this->project(['index.php' => '', 'config/a.txt' => '', 'vendor/a.php' => '', 'css/a.css' => '']);
        $kept = ['/config/a.txt', '/data/a', '/storage/a.inc', '/logs/error.log', '/vendor/autoload.php',
            '/vendor/a/composer.json',
            '/node_modules/a/package.json', '/composer.json', '/composer.lock', '/dump.sql', '/a/dump.sql.gz', '/x.yaml',
                '/a/b.yml',
            '/debug.log', '/app.sqlite', '/a.txt~', '/vendor/a/README.md', '/vendor/a/page.php', '/deploy.sh', '/ssl/site.key',
            "/config/a\nb.txt", "/config/index.php\n", "/vendor/a\nb", "/vendor/a.css\n", "/a\n/composer.json", "/a\n/site.key",
            '/a/uploads.sh', '/a.swp', '/a.swo', '/uploads/a.sqlite', '/uploads/a.log', '/uploads/x~', '/private/a.php.txt',
            '/a.sqlite-wal', '/a/b.db-journal', '/a.sqlite3-shm', '/a.db3', '/a.log.1', '/a.log.12.gz', '/a.log-20261129.xz',
            '/a.log-2026-11-29', '/a.log.2026-11-29.gz', '/a.log-20261129.1',
            '/error_log', '/error_log.1', '/b/error_log-20261129.gz', '/a/id_ed25519', '/auth.json', '/a.tfstate',
            '/a.tfstate.1700000000.backup', '/a.tfstate.backup', '/a.p12', '/b/a.pfx'];
        $sent = ['/css/a.css', '/css/config/a.css', '/vendor/a/dist/a.min.js', '/node_modules/a/a.css', '/a.txt', '/a.json',
            '/configuration/a.txt', '/sql.html', '/movie.swf', '/wp-content/uploads/talk.key', '/uploads/script.sh',
            '/files/a/b.yaml', '/private/index.php', '/log/index.php', '/data/a/page.php', '/vendor/a/mix-manifest.json',
            '/vendor/a/site.webmanifest', "/config/a\nb.php", "/vendor/a\nb.css", "/uploads/a\nb.key",
            '/a.log.html', '/locales/en/auth.json', '/a.log-in', '/error_log.html',
            '/uploads/a.p12', '/dbs-wal', '/id_rsa.pub', '/a.logo', '/log.gz'];

        foreach ($kept as $path) {
            self::assertSame('403', $this->verdict($root, $path), $path);
        }
        foreach ($sent as $path) {
            self::assertSame('', $this->verdict($root, $path), $path);
        }
        self::assertStringStartsWith("config/, vendor/ in $root: not published", (string) $this->protection($root)->kept());
    }

    /** Laravel links public/storage to what visitors may see, and packages publish into public/vendor. */
    public function test_in_a_public_folder_names_of_folders_tell_nothing(): void
    {
        $root = $this->project(['public/index.php' => '', 'public/storage/a.jpg' => '', 'composer.json' => '{}']);

        foreach ([$root, "$root/public"] as $path) {
            self::assertSame('', $this->verdict($path, '/storage/a.jpg'));
            self::assertSame('', $this->verdict($path, '/vendor/a/index.html'));
            self::assertSame('', $this->verdict($path, '/openapi.yaml'));
            self::assertSame('403', $this->verdict($path, '/dump.sql'));
            self::assertNull($this->protection($path)->kept());
        }
    }

    /** Laravel with those who rent out web space: the project is in ~/laravel, public_html/index.php knows where. */
    public function test_a_public_folder_whose_project_lies_elsewhere_has_what_browsers_need(): void
    {
        $root = $this->project(['public_html/index.php' => '', 'laravel/storage/app/public/p.pdf' => '',
            'public_html/openapi.yaml' => '', 'public_html/vendor/a/mix-manifest.json' => '', 'public_html/shop.ini' => '']);
        $public = "$root/public_html";
        $asked = ['/storage/p.jpg' => '', '/storage/a/manifest.json' => '', '/storage/p.pdf' => '403', '/storage/a.php' => '',
            '/vendor/telescope/mix-manifest.json' => '', '/vendor/a/a.css' => '', '/storage/a.sqlite' => '403',
            '/openapi.yaml' => '403', '/config/a.jpg' => '403'];

        self::assertSame($asked, $this->verdicts($public, array_keys($asked)));
        $kept = "vendor/, openapi.yaml, shop.ini in $public: not published, or only what browsers need of them (docs/serve.md);"
            . ' `Require all granted` in a .htaccess there publishes a folder, in '
            . "$public/.htaccess in `<Files \"openapi.yaml\">` publishes a file";
        self::assertSame($kept, $this->protection($public)->kept());

        file_put_contents("$public/.htaccess", "<Files openapi.yaml>\nRequire all granted\n</Files>");
        symlink('../laravel/storage/app/public', "$public/storage");
        $this->protections = [];
        $linked = ['/storage/p.pdf' => '', '/storage/a.jpg' => '', '/storage/a.sqlite' => '403', '/openapi.yaml' => ''];
        self::assertSame($linked, $this->verdicts($public, array_keys($linked)));
        self::assertStringStartsWith("vendor/, shop.ini in $public: ", (string) $this->protection($public)->kept());
    }

    /** Deployer and Capistrano link storage/ of each release to all that it writes. */
    public function test_storage_of_a_whole_project_is_kept_and_be_it_a_link(): void
    {
        $root = $this->project(['site/index.php' => '', 'site/artisan' => '', 'home/index.php' => '', 'a/b.jpg' => '',
            'shared/logs/a.log' => '']);
        symlink('../a', "$root/site/storage");
        symlink('../shared', "$root/home/storage");

        self::assertSame('403', $this->verdict("$root/site", '/storage/b.jpg'));
        self::assertSame('403', $this->verdict("$root/home", '/storage/app/b.pdf'));
    }

    /** Many images have applications in /var/www/html, and those who rent out web space have bin/ beside public_html/. */
    public function test_what_may_lie_beside_anything_makes_no_public_folder_of_it(): void
    {
        foreach (['bin', 'app', 'src', 'config', 'templates'] as $beside) {
            $root = $this->project(['public_html/index.php' => '', 'public_html/config/db.yml' => '', "$beside/a" => '']);
            foreach ([$root, "$root/public_html"] as $path) {
                self::assertSame('403', $this->verdict($path, '/config/db.yml'), $beside);
                self::assertSame('403', $this->verdict($path, '/data/app.sqlite'), $beside);
                self::assertStringContainsString("config/ in $root/public_html", (string) $this->protection($path)->kept());
            }
        }
    }

    public function test_a_project_s_own_files_make_a_public_folder_of_what_lies_between_them(): void
    {
        foreach (['composer.json', 'artisan', 'bin/console', 'vendor/a', 'symfony.lock'] as $beside) {
            $root = $this->project(['html/index.php' => '', 'html/config/a.txt' => '', $beside => '']);
            foreach ([$root, "$root/html"] as $path) {
                self::assertSame('', $this->verdict($path, '/config/a.txt'), $beside);
            }
            file_put_contents("$root/html/composer.json", '{}');
            $this->protections = [];
            self::assertSame('403', $this->verdict("$root/html", '/config/a.txt'), 'it is a project itself');
        }
    }

    private function protection(string $path): Protection
    {
        return $this->protections[$path] ??= new Protection((new ProjectFinder())->find($this->options('--workers=1', $path)));
    }

    /**
     * @param  list<string> $paths
     * @return array<string, string>
     */
    private function verdicts(string $root, array $paths): array
    {
        return array_combine($paths, array_map(fn (string $path): string => $this->verdict($root, $path), $paths));
    }

    private function verdict(string $root, string $path): string
    {
        foreach ($this->protection($root)->rules() as [$regex, $value]) {
            if (preg_match("\x01$regex\x01", $path) === 1) {
                return $value;
            }
        }

        return '';
    }
}
