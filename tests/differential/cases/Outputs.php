<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential\Cases;

use Howdah\Tests\Differential\Cases;
use Howdah\Tests\Differential\Question;

/** What scripts print, and how: buffers, handlers, compression, flushing, files, the end of a script. */
final class Outputs implements Cases
{
    public static function all(): iterable
    {
        yield from self::buffers();
        yield from self::compressed();
        yield from self::ends();
        yield from self::files();
    }

    /** @return iterable<string, Question> */
    private static function buffers(): iterable
    {
        yield 'output-nothing' => Question::get('');
        yield 'output-html' => Question::get("<p>\n<?= 1 + 1 ?>\n\n</p>\n");
        yield 'output-large' => Question::get('<?php for ($i = 0; $i < 20000; $i++) { echo "line $i of a large response\n"; }');
        yield 'output-large-at-once' => Question::get('<?php echo str_repeat("0123456789", 200000);');
        yield 'output-flushed' => Question::get('<?php for ($i = 0; $i < 10; $i++) { echo $i; flush(); }');
        yield 'output-flushed-empty' => Question::get('<?php flush(); flush(); echo "x"; flush();');
        yield 'output-implicit-flush' => Question::get('<?php ob_implicit_flush(); for ($i = 0; $i < 10; $i++) { echo $i; }');
        yield 'output-ob' => Question::get(
            '<?php ob_start(); echo "a"; ob_start(); echo "b"; echo strtoupper(ob_get_clean()); echo "c";',
        );
        yield 'output-ob-header-late' => Question::get(
            '<?php ob_start(); echo "a"; header("X-A: 1"); ob_end_flush(); flush();',
        );
        yield 'output-ob-callback' => Question::get(
            '<?php ob_start(fn ($text, $phase) => "[$phase:" . strrev($text) . "]"); echo "abc";',
        );
        yield 'output-ob-chunks' => Question::get('<?php ob_start(fn ($t) => "<$t>", 3); echo "ab"; echo "cd"; echo "efghij";');
        yield 'output-ob-clean' => Question::get(
            '<?php ob_start(); echo "never"; ob_clean(); echo "this"; ob_end_flush(); echo ob_get_level();',
        );
        yield 'output-ob-unclosed' => Question::get('<?php ob_start(); ob_start(); echo "unclosed";');
        yield 'output-ob-status' => Question::get(
            '<?php ob_start(); echo "x"; tell([ob_get_level(), ob_list_handlers(), ob_get_length()]);',
        );
        yield 'output-buffering' => Question::get(
            '<?php echo "a"; header("X-A: 1"); echo ob_get_level();',
        )->ini('output_buffering=4096');
        yield 'output-buffering-small' => Question::get(
            '<?php echo str_repeat("a", 100); header("X-A: 1");',
        )->ini('output_buffering=50');
        yield 'output-handler' => Question::get('<?php echo "a &auml; b";')->ini('output_handler=mb_output_handler');
        yield 'output-rewrite-var' => Question::get(
            '<?php output_add_rewrite_var("a", "b"); echo "<a href=\'x.php\'>x</a><form></form>";',
        );
        yield 'output-php-output' => Question::get(
            '<?php file_put_contents("php://output", "through a stream"); print("!"); printf("%03d", 7);',
        );
        yield 'output-stdout' => Question::get('<?php fwrite(fopen("php://stderr", "w"), "to the log\n"); echo "body";');
        yield 'output-binary' => Question::get('<?php for ($i = 0; $i < 256; $i++) { echo chr($i); }');
        yield 'output-trans-sid' => Question::get(
            '<?php session_id("fixedsessionid0123456789ab"); session_start(); echo "<a href=\'x.php\'>x</a>";',
        )
            ->ini('session.use_trans_sid=1', 'session.use_only_cookies=0', 'session.use_cookies=0');
    }

    /** @return iterable<string, Question> */
    private static function compressed(): iterable
    {
        $page = '<?php echo str_repeat("compress me ", 500);';
        $accept = 'Accept-Encoding: gzip, deflate';
        yield 'zlib' => Question::get($page, '', $accept)->ini('zlib.output_compression=1');
        yield 'zlib-not-accepted' => Question::get($page)->ini('zlib.output_compression=1');
        yield 'zlib-deflate' => Question::get($page, '', 'Accept-Encoding: deflate')->ini('zlib.output_compression=1');
        yield 'zlib-set-late' => Question::get(
            '<?php ini_set("zlib.output_compression", "1"); echo str_repeat("a", 1000);',
            '',
            $accept,
        )->onlyClassic();
        yield 'zlib-and-length' => Question::get('<?php header("Content-Length: 5"); echo "12345";', '', $accept)
            ->ini('zlib.output_compression=1');
        yield 'zlib-and-head' => Question::ask('HEAD', $page, '', null, $accept)->ini('zlib.output_compression=1');
        yield 'zlib-flushed' => Question::get('<?php echo "a"; ob_flush(); flush(); echo "b";', '', $accept)
            ->ini('zlib.output_compression=1');
        yield 'zlib-of-nothing' => Question::get(
            '<?php http_response_code(204);',
            '',
            $accept,
        )->ini('zlib.output_compression=1');
        yield 'ob-gzhandler' => Question::get('<?php ob_start("ob_gzhandler"); echo str_repeat("a", 1000);', '', $accept);
        yield 'ob-gzhandler-not-accepted' => Question::get('<?php ob_start("ob_gzhandler"); echo str_repeat("a", 1000);');
        yield 'gzip-by-nginx' => Question::get($page, '', $accept)->nginx('gzip on; gzip_types *; gzip_min_length 10;');
        yield 'gzip-by-php' => Question::get('<?php header("Content-Encoding: gzip"); echo gzencode("text");', '', $accept);
    }

    /** @return iterable<string, Question> */
    private static function ends(): iterable
    {
        $codes = [
            'exit' => 'echo "a"; exit; echo "b";',
            'exit-text' => 'exit("text");',
            'exit-number' => 'echo "a"; exit(3);',
            'exit-in-function' => '(function () { echo "a"; exit; })(); echo "b";',
            'exit-in-buffer' => 'ob_start(); echo "a"; exit;',
            'exception' => 'echo "a"; throw new RuntimeException("thrown");',
            'exception-before-output' => 'throw new RuntimeException("thrown <b>");',
            'exception-handled' => 'set_exception_handler(function ($e) { http_response_code(503); echo get_class($e);'
                . ' }); throw new Error("x");',
            'exception-with-status' => 'http_response_code(404); throw new Exception("x");',
            'fatal' => 'echo "a"; nowhere();',
            'fatal-before-output' => 'nowhere();',
            'fatal-in-buffer' => 'ob_start(); echo "a"; nowhere();',
            'warning' => 'echo $undefined; echo "b";',
            'warning-handled' => 'set_error_handler(function ($n, $text) { echo "[$text]"; return true; }); echo'
                . ' $undefined; restore_error_handler();',
            'deprecated' => 'echo strlen(null); trigger_error("user", E_USER_DEPRECATED);',
            'trigger-error' => 'trigger_error("fatal by hand", E_USER_ERROR); echo "never";',
            'memory-limit' => 'ini_set("memory_limit", "4M"); $x = str_repeat("x", 8000000);',
            'stack' => 'ini_set("memory_limit", "8M"); function f() { f(); } f();',
            'shutdown-function' => 'register_shutdown_function(function () { echo "shutdown"; header("X-A: 1"); }); echo "a";',
            'shutdown-functions' => 'register_shutdown_function(function () { echo 1; register_shutdown_function(function'
                . ' () { echo 2; }); exit; });'
                . ' register_shutdown_function(function () { echo "3"; });',
            'shutdown-after-fatal' => 'register_shutdown_function(function () { echo error_get_last()["type"]; }); nowhere();',
            'shutdown-throws' => 'register_shutdown_function(function () { throw new Exception("late"); }); echo "a";',
            'shutdown-status' => 'register_shutdown_function(function () { http_response_code(418); });',
            'destructor' => '$o = new class { function __destruct() { echo "gone"; header("X-A: 1"); } };'
                . ' $GLOBALS["kept"] = $o; echo "a";',
            'destructor-after-exit' => '$o = new class { function __destruct() { echo "gone"; } }; exit("a");',
            'finish' => 'echo "a"; header("X-A: 1"); var_dump(fastcgi_finish_request()); echo "never";',
            'finish-twice' => 'echo "a"; fastcgi_finish_request(); fastcgi_finish_request(); header("X-B: 1");',
            'finish-empty' => 'fastcgi_finish_request(); echo "never";',
            'finish-in-buffer' => 'ob_start(); echo "a"; fastcgi_finish_request(); echo "never";',
            'connection-status' => 'tell([connection_status(), connection_aborted(), ignore_user_abort(true),'
                . ' ignore_user_abort()]);',
            'syntax-error' => 'this is no code;',
            'time-limit' => 'set_time_limit(1); while (true) { md5("x"); }',
            'error-log' => 'error_log("to the log"); echo "a";',
            'assert' => 'ini_set("assert.exception", "1"); var_dump(assert(true));',
            'eval-error' => 'try { eval("no code"); } catch (ParseError $e) { echo $e->getMessage(); }',
            'generator' => 'foreach ((function () { yield 1; yield 2; echo "end"; })() as $n) { echo $n; }',
            'highlight' => 'highlight_string("<?php echo 1;");',
            'sleep' => 'echo "a"; usleep(20000); echo "b";',
        ];
        // A stack trace tells who called, and globals last: not in worker mode, but for one of them.
        $alone = '/^(exception-|fatal|shutdown-after-fatal|destructor$)/';
        foreach ($codes as $name => $code) {
            $question = Question::get("<?php $code");
            yield "end-$name" => preg_match($alone, $name) === 1 ? $question->onlyClassic() : $question;
        }
        $hidden = ['fatal', 'exception', 'fatal-in-buffer', 'warning', 'syntax-error', 'memory-limit'];
        foreach ($hidden as $name) {
            yield "end-$name-hidden" => Question::get("<?php {$codes[$name]}")->ini('display_errors=0');
        }
        yield 'end-fatal-as-text' => Question::get("<?php {$codes['fatal']}")->ini('html_errors=0');
        yield 'end-fatal-marked' => Question::get("<?php {$codes['fatal']}")
            ->ini('error_prepend_string=[', 'error_append_string=]', 'html_errors=0');
        yield 'prepend-and-append' => Question::get('<?php echo "script";')
            ->file('before.txt', 'before ')->file('after.txt', ' after')
            ->ini('auto_prepend_file=before.txt', 'auto_append_file=after.txt');
        yield 'append-after-exit' => Question::get('<?php exit("script");')->file('after.txt', ' after')
            ->ini('auto_append_file=after.txt');
        yield 'prepend-missing' => Question::get('<?php echo "script";')->ini('auto_prepend_file=/nonexistent.php');
        yield 'disabled-function' => Question::get('<?php echo function_exists("exec") ? "there" : "not there"; exec("true");')
            ->ini('disable_functions=exec');
        yield 'open-basedir' => Question::get('<?php var_dump(@file_get_contents("/etc/hostname")); readfile("/etc/hostname");')
            ->ini('open_basedir=' . sys_get_temp_dir());
    }

    /** @return iterable<string, Question> */
    private static function files(): iterable
    {
        $text = str_repeat("line of a file\n", 20000);
        yield 'readfile' => Question::get(
            '<?php header("Content-Type: text/plain"); readfile(__DIR__ . "/file.txt");',
        )->file('file.txt', $text);
        yield 'readfile-with-length' => Question::get(
            '<?php header("Content-Length: " . filesize(__DIR__ . "/file.txt")); readfile(__DIR__ . "/file.txt");',
        )->file('file.txt', $text);
        yield 'readfile-missing' => Question::get('<?php readfile(__DIR__ . "/nonexistent");');
        yield 'fpassthru' => Question::get('<?php $f = fopen(__DIR__ . "/file.txt", "r"); fseek($f, 10); echo fpassthru($f);')
            ->file('file.txt', $text);
        yield 'stream-copy' => Question::get(
            '<?php stream_copy_to_stream(fopen(__DIR__ . "/file.txt", "r"), fopen("php://output", "w"));',
        )->file('file.txt', $text);
        yield 'passthru' => Question::get('<?php passthru("printf abc; exit 3", $code); echo $code;');
        yield 'file-download' => Question::get(
            '<?php header("Content-Disposition: attachment; filename=\"a b.txt\""); header("Content-Type:'
                . ' application/octet-stream");'
            . ' header("Content-Transfer-Encoding: binary"); readfile(__DIR__ . "/file.txt");',
        )->file('file.txt', 'content');
    }
}
