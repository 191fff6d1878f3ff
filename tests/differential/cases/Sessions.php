<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential\Cases;

use Howdah\Tests\Differential\Cases;
use Howdah\Tests\Differential\Question;

/** Sessions of PHP's own kind, in files. */
final class Sessions implements Cases
{
    private const ID = 'fixedsessionid0123456789abcdef00';
    private const COOKIE = 'Cookie: PHPSESSID=' . self::ID;

    public static function all(): iterable
    {
        yield 'session-start' => Question::get(
            '<?php session_start(); $_SESSION["a"] = 1; tell([$_SESSION, session_status()]);',
        );
        yield 'session-with-cookie' => Question::get(
            '<?php session_start(); tell([session_id(), $_SESSION]);',
            '',
            self::COOKIE,
        );
        yield 'session-strict' => Question::get(
            '<?php session_start(["use_strict_mode" => 1]); tell([session_id() === "' . self::ID . '", $_SESSION]);',
            '',
            self::COOKIE,
        )->onlyClassic();
        yield 'session-bad-cookie' => Question::get(
            '<?php session_start(); echo "a";',
            '',
            'Cookie: PHPSESSID=../../etc/passwd',
        );
        yield 'session-empty-cookie' => Question::get('<?php session_start(); echo "a";', '', 'Cookie: PHPSESSID=');
        yield 'session-array-cookie' => Question::get('<?php session_start(); echo "a";', '', 'Cookie: PHPSESSID[]=a');
        yield 'session-regenerate' => Question::get(
            '<?php session_start(); session_regenerate_id(); tell(session_id() !== "' . self::ID . '");',
            '',
            self::COOKIE,
        );
        yield 'session-regenerate-delete' => Question::get(
            '<?php session_start(); tell(session_regenerate_id(true));',
            '',
            self::COOKIE,
        );
        yield 'session-destroy' => Question::get(
            '<?php session_start(); $_SESSION["a"] = 1; tell([session_destroy(), session_id(), $_SESSION, session_status()]);',
        );
        yield 'session-write-close' => Question::get(<<<'PHP'
            <?php
            session_start();
            $_SESSION['n'] = 1;
            session_write_close();
            $_SESSION['n'] = 2;
            session_start();
            tell($_SESSION);
            PHP);
        yield 'session-two-requests' => Question::raw(
            '<?php session_start(); $_SESSION["n"] = ($_SESSION["n"] ?? 0) + 1; echo $_SESSION["n"]; if ($_SESSION["n"] == 3)'
                . ' session_destroy();',
            "GET {case}/index.php HTTP/1.1\r\nHost: a\r\nCookie: PHPSESSID=twentysixcharactersoridmore\r\n\r\n",
            "GET {case}/index.php HTTP/1.1\r\nHost: a\r\nCookie: PHPSESSID=twentysixcharactersoridmore\r\n\r\n",
            "GET {case}/index.php HTTP/1.1\r\nHost: a\r\nCookie: PHPSESSID=twentysixcharactersoridmore\r\nConnection:"
                . " close\r\n\r\n",
        );
        yield 'session-read-and-close' => Question::get(
            '<?php session_start(["read_and_close" => true]); tell(session_status());',
        );
        yield 'session-options' => Question::get(
            '<?php session_start(["name" => "OTHER", "cookie_lifetime" => 60, "cookie_samesite" => "Strict",'
                . ' "cookie_path" => "/p"]);'
            . ' header_remove("Set-Cookie"); tell([session_name(), session_get_cookie_params()]);',
        )->onlyClassic();
        yield 'session-cookie-params' => Question::get(
            '<?php session_id("' . self::ID . '"); session_set_cookie_params(["path" => "/x", "secure" => true,'
                . ' "httponly" => true,'
            . ' "samesite" => "Lax"]); session_start();',
        )->onlyClassic();
        yield 'session-fixed-id' => Question::get('<?php session_id("' . self::ID . '"); session_start(); echo SID;');
        yield 'session-late' => Question::get('<?php echo "a"; flush(); session_start(); echo "b";');
        yield 'session-twice' => Question::get('<?php session_start(); session_start(); echo "b";');
        foreach (['nocache', 'public', 'private', 'private_no_expire', ''] as $limiter) {
            yield 'session-limiter-' . ($limiter === '' ? 'none' : strtr($limiter, '_', '-')) => Question::get(
                '<?php session_start(); header_remove("Last-Modified"); if (headers_list()) { $e ='
                    . ' preg_grep("/^Expires/", headers_list());'
                . ' header_remove("Expires"); } tell(count($e));',
            )->ini("session.cache_limiter=$limiter");
        }
        yield 'session-auto-start' => Question::get('<?php tell([session_status(), $_SESSION]);')->ini('session.auto_start=1');
        yield 'session-handler' => Question::get(<<<'PHP'
            <?php
            session_set_save_handler(new class implements SessionHandlerInterface {
                public function open($path, $name): bool
                {
                    return (bool) print('open ');
                }
                public function close(): bool
                {
                    return (bool) print('close ');
                }
                public function read($id): string
                {
                    return 'a|i:1;';
                }
                public function write($id, $data): bool
                {
                    return (bool) print("write $data ");
                }
                public function destroy($id): bool
                {
                    return true;
                }
                public function gc($lifetime): int
                {
                    return 0;
                }
            }, true);
            ob_start();
            session_start();
            $_SESSION['b'] = 2;
            PHP)->onlyClassic();
        yield 'session-handler-fails' => Question::get(
            '<?php ob_start(); session_set_save_handler(fn () => false, fn () => true, fn () => "", fn () => true, fn ()'
                . ' => true,'
            . ' fn () => 0); var_dump(session_start()); echo "b";',
        )->onlyClassic();
        yield 'session-unwritable' => Question::get(
            '<?php ob_start(); session_save_path("/nonexistent"); var_dump(session_start());',
        )
            ->onlyClassic();
        yield 'session-serialized' => Question::get(
            '<?php session_start(); $_SESSION["o"] = new ArrayObject([1]); $_SESSION["s"] = "x"; echo session_encode();',
        );
        yield 'session-upload-progress' => Question::upload(
            '<?php session_start(); tell(array_keys($_SESSION));',
            "Content-Disposition: form-data; name=\"PHP_SESSION_UPLOAD_PROGRESS\"\r\n\r\nkey",
            "Content-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\ncontent",
        );
        yield 'session-gc' => Question::get(
            '<?php session_start(); tell([is_int(session_gc()), session_abort(), session_status()]);',
        );
        yield 'session-reset' => Question::get('<?php session_start(); $_SESSION["a"] = 1; session_reset(); tell($_SESSION);');
        yield 'session-create-id' => Question::get(
            '<?php session_start(); tell(str_starts_with(session_create_id("pre-"), "pre-"));',
        );
    }
}
