<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential\Cases;

use Howdah\Tests\Differential\Cases;
use Howdah\Tests\Differential\Question;

/** What a script finds of PHP itself: settings, constants, functions, classes, extensions, the environment, phpinfo(). */
final class Surroundings implements Cases
{
    /** phpinfo()'s rows as "section, name" => values: without opcache's counters, and the variables that other cases compare. */
    private const INFO = <<<'PHP'
        <?php
        ob_start();
        phpinfo();
        $page = (string) ob_get_clean();
        $section = '';
        $rows = [];
        preg_match_all('#<h[12]>(.*?)</h[12]>|<tr[^>]*>(.*?)</tr>#s', $page, $parts, PREG_SET_ORDER);
        foreach ($parts as $part) {
            if ($part[1] !== '') {
                $section = strip_tags($part[1]);
                continue;
            }
            preg_match_all('#<t[dh][^>]*>(.*?)</t[dh]>#s', $part[2], $cells);
            $cells = array_map(static fn (string $cell): string => trim(html_entity_decode(strip_tags($cell))), $cells[1]);
            $name = array_shift($cells);
            $counts = $section === 'Zend OPcache' && count($cells) === 1 && is_numeric($cells[0]);
            if ($section !== 'PHP Variables' && !$counts) {
                $rows["$section, $name"][] = $cells;
            }
        }
        tell($rows);
        PHP;

    public static function all(): iterable
    {
        // In worker mode ini_set() and define() of earlier requests stay.
        yield 'ini-all' => Question::get('<?php tell(ini_get_all());')->onlyClassic();
        yield 'constants' => Question::get(
            '<?php $all = get_defined_constants(true); unset($all["user"], $all["howdah"]);'
                . ' tell(array_map(static fn ($value) => var_export($value, true), array_merge(...array_values($all))));',
        )->onlyClassic();
        yield 'functions' => Question::get(<<<'PHP'
            <?php
            $all = [];
            foreach (get_defined_functions()['internal'] as $name) {
                $function = new ReflectionFunction($name);
                if ($function->getExtensionName() !== 'howdah') {
                    $all[$name] = (string) $function;
                }
            }
            tell($all);
            PHP);
        yield 'classes' => Question::get(<<<'PHP'
            <?php
            $all = array_merge(get_declared_classes(), get_declared_interfaces(), get_declared_traits());
            $isInternal = static fn (string $name): bool => (new ReflectionClass($name))->isInternal();
            tell(array_fill_keys(array_filter($all, $isInternal), true));
            PHP);
        yield 'extensions' => Question::get(<<<'PHP'
            <?php
            $all = [];
            foreach (get_loaded_extensions() as $name) {
                $all[$name] = phpversion($name);
            }
            tell($all + ['zend' => get_loaded_extensions(true)]);
            PHP);
        yield 'ini-files' => Question::get('<?php tell([php_ini_loaded_file(), php_ini_scanned_files()]);');
        yield 'stream-wrappers' => Question::get(
            '<?php tell([stream_get_wrappers(), stream_get_filters(), stream_get_transports()]);',
        );
        $environment = static fn (string $what): string => "<?php \$all = $what; tell(\$all);";
        yield 'getenv-everything' => Question::get($environment('getenv()'), '?a=b', 'X-A: 1');
        yield 'getenv-everything-local' => Question::get($environment('getenv(null, true)'));
        yield 'getenv-counts' => Question::get(<<<'PHP'
            <?php
            $count = static fn (array $variables): int => count(array_diff_key($variables, ['FCGI_ROLE' => 1]));
            tell([$count($_ENV), $count(getenv()), $count($_ENV)]);
            PHP);
        yield 'getenv-home' => Question::get(
            '<?php tell([getenv("HOME"), getenv("USER"), getenv("HOME", true), $_SERVER["HOME"], $_SERVER["USER"]]);',
        );
        yield 'phpinfo-rows' => Question::get(self::INFO)->onlyClassic();
        yield from self::settings();
    }

    /** @return iterable<string, Question> php-fpm's own, and what they do */
    private static function settings(): iterable
    {
        $self = '<?php tell([$_SERVER["PHP_SELF"], $_SERVER["PATH_INFO"] ?? null, ini_get("cgi.fix_pathinfo")]);';
        yield 'fix-pathinfo' => Question::get($self, '/a/b')->onlyClassic();
        yield 'fix-pathinfo-off-for-a-request' => Question::get($self, '/a/b')->ini('cgi.fix_pathinfo=0');
        yield 'ini-set-of-php-fpm' => Question::get(<<<'PHP'
            <?php
            $all = [];
            foreach (['cgi.nph', 'cgi.rfc2616_headers', 'cgi.fix_pathinfo', 'cgi.discard_path', 'fastcgi.logging'] as $name) {
                $all[$name] = [ini_get($name), ini_set($name, 'on'), ini_get($name)];
                ini_restore($name);
                $all[$name][] = ini_get($name);
            }
            tell($all);
            PHP);
        yield 'error-header' => Question::get('<?php ini_set("display_errors", "0"); missing();')
            ->ini('fastcgi.error_header="HTTP/1.1 550 Server Made Big Boo"');
        yield 'error-header-exit' => Question::get('<?php exit(255);')->ini('fastcgi.error_header="X-Failed: yes"');
        yield 'error-header-late' => Question::get('<?php echo 1; flush(); exit(255);')
            ->ini('fastcgi.error_header="X-Failed: yes"');
        yield 'error-header-good-end' => Question::get('<?php exit(254);')->ini('fastcgi.error_header="X-Failed: yes"');
        // nginx's pattern that splits scripts from path info does not match a path with a line feed in it.
        yield 'path-not-split' => Question::get(ServerVariables::TELL, '/a%0Ab')->onlyClassic();
    }
}
