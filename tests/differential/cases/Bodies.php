<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential\Cases;

use Howdah\Tests\Differential\Cases;
use Howdah\Tests\Differential\Question;

/** Bodies that are no uploads: forms, JSON, raw ones, chunked ones, and those that never come. */
final class Bodies implements Cases
{
    private const FORM = 'application/x-www-form-urlencoded';
    private const TELL = <<<'PHP'
        <?php
        tell(['post' => $_POST, 'files' => $_FILES, 'input' => file_get_contents('php://input'),
            'type' => $_SERVER['CONTENT_TYPE'] ?? null, 'length' => $_SERVER['CONTENT_LENGTH'] ?? null]);
        PHP;

    public static function all(): iterable
    {
        yield from self::forms();
        yield from self::raw();
        yield from self::transfers();
        yield from self::unbuffered();
    }

    /** @return iterable<string, Question> */
    private static function forms(): iterable
    {
        yield 'form' => Question::post(self::TELL, self::FORM, 'a=1&b[]=2&b[]=3&c[x][y]=4');
        yield 'form-odd' => Question::post(self::TELL, self::FORM, '&&=&a=b=c&%zz&+=+&d.e=1&f%00g=1&a[');
        yield 'form-line-ends' => Question::post(self::TELL, self::FORM, "a=1\r\n&b=2\n");
        yield 'form-charset' => Question::post(self::TELL, self::FORM . '; charset=iso-8859-1', "a=\xE4&b=%E4");
        yield 'form-type-capitals' => Question::post(self::TELL, 'Application/X-WWW-Form-Urlencoded', 'a=1');
        yield 'form-type-comma' => Question::post(self::TELL, self::FORM . ', text/plain', 'a=1');
        yield 'form-empty' => Question::post(self::TELL, self::FORM, '');
        yield 'form-put' => Question::ask('PUT', self::TELL, '', 'a=1', 'Content-Type: ' . self::FORM);
        yield 'form-get' => Question::ask('GET', self::TELL, '?b=2', 'a=1', 'Content-Type: ' . self::FORM);
        yield 'form-without-type' => Question::ask('POST', self::TELL, '', 'a=1');
        yield 'form-type-empty' => Question::ask('POST', self::TELL, '', 'a=1', 'Content-Type:');
        yield 'form-unknown-type' => Question::post(self::TELL, 'text/unknown', 'a=1');
        $many = implode('&', array_map(static fn (int $number): string => "v$number=" . str_repeat('x', 20), range(1, 1100)));
        yield 'form-many' => Question::post('<?php echo count($_POST), "\n";', self::FORM, $many);
        yield 'form-many-limited' => Question::post(
            '<?php echo count($_POST), "\n";',
            self::FORM,
            $many,
        )->ini('max_input_vars=5');
        yield 'form-large' => Question::post(
            '<?php echo strlen($_POST["a"]), md5($_POST["a"]);',
            self::FORM,
            'a=' . str_repeat('0123456789abcdef', 40000),
        );
        yield 'form-above-post-max-size' => Question::post(self::TELL, self::FORM, 'a=' . str_repeat('x', 2000))
            ->ini('post_max_size=1K');
        yield 'form-at-post-max-size' => Question::post(self::TELL, self::FORM, 'a=' . str_repeat('x', 1022))
            ->ini('post_max_size=1K');
        yield 'form-not-read' => Question::post(self::TELL, self::FORM, 'a=1')->ini('enable_post_data_reading=0');
        yield 'form-filtered' => Question::post('<?php tell([$_POST, filter_input(INPUT_POST, "a")]);', self::FORM, 'a=<b>')
            ->ini('filter.default=special_chars');
        yield 'form-request' => Question::ask(
            'POST',
            '<?php tell([$_REQUEST, $_GET, $_POST]);',
            '?a=get&b=get',
            'a=post',
            'Content-Type: ' . self::FORM,
            'Cookie: a=cookie; c=cookie',
        );
    }

    /** @return iterable<string, Question> */
    private static function raw(): iterable
    {
        yield 'json' => Question::post(
            '<?php tell([json_decode(file_get_contents("php://input"), true), $_POST]);',
            'application/json',
            '{"a": [1, 2, {"b": "\u00e4"}]}',
        );
        yield 'input-twice' => Question::post(
            '<?php tell([file_get_contents("php://input"), file_get_contents("php://input")]);',
            'text/plain',
            'once',
        );
        yield 'input-two-handles' => Question::post(<<<'PHP'
            <?php
            $a = fopen('php://input', 'r');
            $b = fopen('php://input', 'r');
            tell([fread($a, 3), fread($b, 5), fread($a, 100), feof($a), fseek($a, 1), fread($a, 2), ftell($b), rewind($b),
                fgets($b), fopen('php://input', 'w') !== false, fstat($a)['size'] ?? null, stream_get_meta_data($a)['mode']]);
            PHP, 'text/plain', "first\nsecond\n");
        yield 'input-of-a-form' => Question::post(
            '<?php $p = $_POST; tell([$p, file_get_contents("php://input")]);',
            self::FORM,
            'a=1&b=%20',
        );
        yield 'input-binary' => Question::post(
            '<?php echo md5(file_get_contents("php://input"));',
            'application/octet-stream',
            implode('', array_map(chr(...), range(0, 255))),
        );
        yield 'input-large' => Question::post(
            '<?php $n = 0; $in = fopen("php://input", "r"); while (!feof($in)) { $n += strlen(fread($in, 8192)); } echo $n;',
            'application/octet-stream',
            str_repeat('0123456789', 300000),
        );
        yield 'input-partly-read' => Question::post(
            '<?php echo fread(fopen("php://input", "r"), 10);',
            'application/octet-stream',
            str_repeat('0123456789', 100000),
        );
        yield 'input-not-read-at-all' => Question::post('<?php echo "none";', 'text/plain', str_repeat('x', 500000));
        yield 'input-of-put' => Question::ask('PUT', self::TELL, '', 'put body', 'Content-Type: text/plain');
        yield 'input-of-patch' => Question::ask('PATCH', self::TELL, '', '[]', 'Content-Type: application/json');
        yield 'input-of-delete' => Question::ask('DELETE', self::TELL, '', 'x', 'Content-Type: text/plain');
        yield 'input-of-unknown-method' => Question::ask('FROB', self::TELL, '', 'x', 'Content-Type: text/plain');
        yield 'input-above-post-max-size' => Question::post(self::TELL, 'text/plain', str_repeat('x', 2000))
            ->ini('post_max_size=1K');
        yield 'input-of-put-above-post-max-size' => Question::ask('PUT', self::TELL, '', str_repeat('x', 2000))
            ->ini('post_max_size=1K');
        yield 'input-filter' => Question::post(
            '<?php echo file_get_contents("php://filter/read=string.toupper/resource=php://input");',
            'text/plain',
            'shout',
        );
        yield 'stdin' => Question::post('<?php tell([@file_get_contents("php://stdin")]);', 'text/plain', 'x');
    }

    /**
     * PHP reads the body while it comes.
     *
     * @return iterable<string, Question>
     */
    private static function unbuffered(): iterable
    {
        $off = '{prefix}_request_buffering off;';
        $head = "POST {case}/index.php HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n";
        $head .= 'Content-Type: ' . self::FORM . "\r\n";
        $large = str_repeat('0123456789', 50000);
        yield 'unbuffered-form' => Question::post(self::TELL, self::FORM, 'a=1&b[]=2')->nginx($off);
        yield 'unbuffered-nothing' => Question::ask('POST', self::TELL, '', '')->nginx($off);
        yield 'unbuffered-get' => Question::get(self::TELL)->nginx($off);
        yield 'unbuffered-large' => Question::post('<?php echo md5(file_get_contents("php://input"));', 'a/b', $large)
            ->nginx($off);
        yield 'unbuffered-twice' => Question::post(
            '<?php echo md5(file_get_contents("php://input")), md5(file_get_contents("php://input"));',
            'a/b',
            $large,
        )->nginx($off);
        yield 'unbuffered-partly-read' => Question::post('<?php echo fread(fopen("php://input", "r"), 10);', 'a/b', $large)
            ->nginx($off);
        yield 'unbuffered-not-read' => Question::post('<?php echo "none";', 'a/b', $large)->nginx($off);
        yield 'unbuffered-chunked' => Question::raw(
            self::TELL,
            "{$head}Transfer-Encoding: chunked\r\n\r\n3\r\na=1\r\n4\r\n&b=2\r\n0\r\n\r\n",
        )->nginx($off);
        yield 'unbuffered-chunked-malformed' => Question::raw(
            self::TELL,
            "{$head}Transfer-Encoding: chunked\r\n\r\n3\r\na=1\r\nzz\r\n",
        )->nginx($off);
        $chunk = "1000\r\n" . str_repeat('x', 4096) . "\r\n";
        yield 'unbuffered-chunked-large' => Question::raw(
            '<?php $body = file_get_contents("php://input");'
                . ' echo json_encode(["length" => $_SERVER["CONTENT_LENGTH"], "body" => md5($body)]);',
            "{$head}Transfer-Encoding: chunked\r\n\r\n" . str_repeat($chunk, 100) . "0\r\n\r\n",
        )->nginx($off);
        yield 'unbuffered-chunked-above-limit' => Question::raw(
            '<?php echo md5(file_get_contents("php://input"));',
            "{$head}Transfer-Encoding: chunked\r\n\r\n" . str_repeat($chunk, 100) . "0\r\n\r\n",
        )->nginx("$off client_max_body_size 100k;");
        yield 'unbuffered-expect' => Question::raw(
            self::TELL,
            "{$head}Expect: 100-continue\r\nContent-Length: 3\r\n\r\na=1",
        )->nginx($off);
        yield 'unbuffered-too-short' => Question::raw(self::TELL, "{$head}Content-Length: 10\r\n\r\na=1")->nginx($off)
            ->half();
        yield 'unbuffered-pipelined' => Question::raw(
            self::TELL,
            str_replace("Connection: close\r\n", '', $head) . "Content-Length: 3\r\n\r\na=1",
            "{$head}Content-Length: 3\r\n\r\nb=2",
        )->nginx($off);
        yield 'unbuffered-above-limit' => Question::post(self::TELL, self::FORM, "a=$large")
            ->nginx("$off client_max_body_size 10k;");
    }

    /** @return iterable<string, Question> */
    private static function transfers(): iterable
    {
        $head = "POST {case}/index.php HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n";
        $form = $head . 'Content-Type: ' . self::FORM . "\r\n";
        $chunked = "Transfer-Encoding: chunked\r\n\r\n";
        yield 'chunked' => Question::raw(self::TELL, "$form{$chunked}3\r\na=1\r\n6\r\n&b[]=2\r\n0\r\n\r\n");
        yield 'chunked-extensions' => Question::raw(self::TELL, "$form{$chunked}3;x=y\r\na=1\r\n0;z\r\nTrailer: x\r\n\r\n");
        yield 'chunked-empty' => Question::raw(self::TELL, "$form{$chunked}0\r\n\r\n");
        yield 'chunked-capitals' => Question::raw(
            self::TELL,
            "{$form}Transfer-Encoding: CHUNKED\r\n\r\nA\r\na=12345678\r\n0\r\n\r\n",
        );
        yield 'chunked-malformed' => Question::raw(self::TELL, "$form{$chunked}zz\r\na=1\r\n0\r\n\r\n");
        yield 'chunked-negative' => Question::raw(self::TELL, "$form{$chunked}-3\r\na=1\r\n0\r\n\r\n");
        yield 'chunked-without-end' => Question::raw(self::TELL, "$form{$chunked}3\r\na=1\r\n")->half();
        yield 'chunked-and-length' => Question::raw(self::TELL, "{$form}Content-Length: 3\r\n{$chunked}3\r\na=1\r\n0\r\n\r\n");
        yield 'chunked-large' => Question::raw(
            '<?php echo strlen(file_get_contents("php://input"));',
            "$head$chunked" . str_repeat("1000\r\n" . str_repeat('x', 4096) . "\r\n", 300) . "0\r\n\r\n",
        );
        yield 'transfer-encoding-unknown' => Question::raw(self::TELL, "{$form}Transfer-Encoding: gzip\r\n\r\nx");
        yield 'transfer-encoding-identity' => Question::raw(self::TELL, "{$form}Transfer-Encoding: identity\r\n\r\nx");
        yield 'expect-continue' => Question::raw(self::TELL, "{$form}Expect: 100-continue\r\nContent-Length: 3\r\n\r\na=1");
        yield 'expect-continue-without-body' => Question::raw(
            self::TELL,
            "{$form}Expect: 100-continue\r\nContent-Length: 0\r\n\r\n",
        );
        yield 'expect-other' => Question::raw(self::TELL, "{$form}Expect: cake\r\nContent-Length: 3\r\n\r\na=1");
        yield 'length-too-long' => Question::raw(self::TELL, "{$form}Content-Length: 10\r\n\r\na=1")->half();
        yield 'length-too-short' => Question::raw(self::TELL, "{$form}Content-Length: 3\r\n\r\na=1&b=2");
        yield 'length-negative' => Question::raw(self::TELL, "{$form}Content-Length: -1\r\n\r\n");
        yield 'length-no-number' => Question::raw(self::TELL, "{$form}Content-Length: x\r\n\r\n");
        yield 'length-twice' => Question::raw(self::TELL, "{$form}Content-Length: 3\r\nContent-Length: 3\r\n\r\na=1");
        yield 'length-huge' => Question::raw(self::TELL, "{$form}Content-Length: 99999999999999999999\r\n\r\n");
        yield 'length-above-nginx-limit' => Question::post(self::TELL, 'text/plain', str_repeat('x', 3000))
            ->nginx('client_max_body_size 2k;');
        yield 'body-in-a-file' => Question::post(
            '<?php echo md5(file_get_contents("php://input"));',
            'x/y',
            str_repeat('ab', 50000),
        )
            ->nginx('client_body_in_file_only clean;');
        yield 'body-in-one-buffer' => Question::post(self::TELL, self::FORM, 'a=' . str_repeat('b', 5000))
            ->nginx('client_body_in_single_buffer on; client_body_buffer_size 1k;');
    }
}
