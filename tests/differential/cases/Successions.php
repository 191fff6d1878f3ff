<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential\Cases;

use Howdah\Tests\Differential\Cases;
use Howdah\Tests\Differential\Question;

/** What one request must not leave to the next one, which comes on the same connection: in worker mode the same realm takes it. */
final class Successions implements Cases
{
    public static function all(): iterable
    {
        $get = static fn (string $target, string $headers = ''): string =>
            "GET {case}/index.php$target HTTP/1.1\r\nHost: shop.example\r\n$headers\r\n";
        $last = $get('', "Connection: close\r\n");
        $first = [
            'nothing' => 'echo "first";',
            'status' => 'http_response_code(404);',
            'status-line' => 'header("HTTP/1.1 410 Nothing Here");',
            'header' => 'header("X-A: 1"); setcookie("a", "b");',
            'type' => 'header("Content-Type: text/x");',
            'callback' => 'header_register_callback(function () { header("X-Called: 1"); });',
            'buffers' => 'ob_start(fn ($text) => strrev($text)); ob_start(); echo "abc";',
            'rewrite-var' => 'output_add_rewrite_var("secret", "x"); echo "<form></form>";',
            'gzhandler' => 'ob_start("ob_gzhandler"); echo "compressed";',
            'finish' => 'echo "a"; fastcgi_finish_request(); header("X-Late: 1"); echo "late";',
            'shutdown' => 'register_shutdown_function(function () { echo "shutdown"; });',
            'error' => 'echo @$undefined["x"]; @trigger_error("mine");',
            'exit' => 'echo "a"; exit;',
            'fatal' => 'trigger_error("x", E_USER_ERROR);',
            'superglobals' => '$_GET["left"] = $_POST["left"] = $_COOKIE["left"] = $_SERVER["HTTP_LEFT"] ='
                . ' $_REQUEST["left"] = $_FILES["left"] = 1;',
            'implicit-flush' => 'ob_implicit_flush(); echo "a";',
            'session' => 'session_start(); $_SESSION["left"] = 1; session_write_close();',
            'time-limit' => 'set_time_limit(30); usleep(1000);',
            'abort' => 'ignore_user_abort(true);',
            'not-read' => 'echo "body not read";',
        ];
        $then = 'ob_start(); ob_end_clean(); tell(["get" => $_GET, "post" => $_POST, "cookie" => $_COOKIE, "request" =>'
            . ' $_REQUEST,'
            . ' "files" => $_FILES, "session" => $_SESSION ?? null, "status" => http_response_code(), "headers" =>'
            . ' headers_list(),'
            . ' "level" => ob_get_level(), "error" => error_get_last(), "input" => file_get_contents("php://input"),'
            . ' "left" => [$_SERVER["HTTP_LEFT"] ?? null, $_SERVER["PHP_AUTH_USER"] ?? null, filter_input(INPUT_GET, "first"),'
            . ' filter_input(INPUT_COOKIE, "c")], "link" => "<form></form>"]);';
        foreach ($first as $name => $code) {
            $code = "<?php if (isset(\$_GET['first'])) { $code return; } $then";
            $headers = "Cookie: c=1\r\nAccept-Encoding: gzip\r\nAuthorization: Basic " . base64_encode('ann:secret') . "\r\n";
            $body = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n";
            yield "after-$name" => $name === 'not-read'
                ? Question::raw($code, "POST {case}/index.php?first=1 HTTP/1.1\r\nHost: a\r\n$body\r\na=1", $last)
                : Question::raw($code, $get('?first=1', $headers), $last);
        }
        yield 'after-an-error-handler' => Question::raw(
            '<?php if ($_GET) { set_error_handler(function ($number, $text) { throw new ErrorException($text); }); return; }'
            . ' restore_error_handler(); echo "taken in";',
            $get('?first=1'),
            "POST {case}/index.php HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1\r\n"
            . "Content-Type: multipart/form-data\r\n\r\nx",
        );
    }
}
