<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential\Cases;

use Howdah\Tests\Differential\Cases;
use Howdah\Tests\Differential\Question;

/** multipart/form-data: well and badly made, within php.ini's limits and above them. */
final class Uploads implements Cases
{
    private const TELL = <<<'PHP'
        <?php
        $files = $_FILES;
        array_walk_recursive($files, static function (mixed &$value, mixed $key): void {
            $value = is_string($value) && is_file($value) ? 'file of ' . filesize($value) . ' with'
                . ' ' . md5_file($value) : $value;
        });
        tell(['post' => $_POST, 'files' => $files, 'input' => strlen(file_get_contents('php://input'))]);
        PHP;

    public static function all(): iterable
    {
        yield from self::made();
        yield from self::malformed();
        yield from self::limited();
        yield from self::handled();
    }

    private static function file(string $name, string $file, string $content = 'content', string $type = 'text/plain'): string
    {
        return "Content-Disposition: form-data; name=\"$name\"; filename=\"$file\"\r\nContent-Type: $type\r\n\r\n$content";
    }

    private static function field(string $name, string $value): string
    {
        return "Content-Disposition: form-data; name=\"$name\"\r\n\r\n$value";
    }

    private static function body(string $body, string $type = 'multipart/form-data; boundary=sep'): Question
    {
        return Question::post(self::TELL, $type, $body);
    }

    /** @return iterable<string, Question> */
    private static function made(): iterable
    {
        yield 'upload-one' => Question::upload(self::TELL, self::file('f', 'a.txt'));
        yield 'upload-and-fields' => Question::upload(
            self::TELL,
            self::field('a', '1'),
            self::file('f', 'a.txt'),
            self::field('b[]', '2'),
            self::field('b[]', "3\r\n4"),
        );
        yield 'upload-arrays' => Question::upload(
            self::TELL,
            self::file('f[]', 'a.txt', 'a'),
            self::file('f[]', 'b.txt', 'bb'),
            self::file('g[x][y]', 'c.txt', 'ccc'),
            self::file('h[1][]', 'd.txt', 'dddd'),
        );
        yield 'upload-same-name' => Question::upload(self::TELL, self::file('f', 'a.txt', 'a'), self::file('f', 'b.txt', 'bb'));
        yield 'upload-empty-file' => Question::upload(self::TELL, self::file('f', 'empty.txt', ''));
        yield 'upload-no-file' => Question::upload(self::TELL, self::file('f', '', ''));
        yield 'upload-binary' => Question::upload(self::TELL, self::file('f', 'b.bin', "\0\r\n--se\r\n\r\n\xFF--sepp", 'x/y'));
        yield 'upload-large' => Question::upload(self::TELL, self::file('f', 'big.bin', str_repeat("0123456789\r\n", 90000)));
        yield 'upload-folder' => Question::upload(self::TELL, self::file('f', 'folder/below/a.txt'));
        yield 'upload-windows-path' => Question::upload(self::TELL, self::file('f', 'C:\\folder\\a.txt'));
        yield 'upload-dots' => Question::upload(self::TELL, self::file('f', '../../etc/passwd'));
        yield 'upload-name-bytes' => Question::upload(self::TELL, self::file('f', "\u{e4}\u{20ac} \xE4.txt"));
        yield 'upload-name-quotes' => Question::upload(self::TELL, self::file('f', 'a\\"b\'c;d.txt'), self::file('q\\"r', 'x'));
        yield 'upload-without-type' => Question::upload(
            self::TELL,
            "Content-Disposition: form-data; name=f; filename=a.txt\r\n\r\ncontent",
        );
        yield 'upload-single-quotes' => Question::upload(
            self::TELL,
            "Content-Disposition: form-data; name='f'; filename='a.txt'\r\n\r\ncontent",
        );
        yield 'upload-filename-star' => Question::upload(
            self::TELL,
            "Content-Disposition: form-data; name=\"f\"; filename=\"a\"; filename*=UTF-8''%e2%82%ac\r\n\r\ncontent",
        );
        yield 'upload-more-headers' => Question::upload(
            self::TELL,
            "X-First: 1\r\ncontent-disposition: form-data; name=\"f\"; filename=\"a\"\r\nContent-Type: a/b;"
                . " c=d\r\nX-Last: 2\r\n\r\nx",
        );
        yield 'upload-folded-header' => Question::upload(
            self::TELL,
            "Content-Disposition: form-data;\r\n name=\"f\";\r\n\tfilename=\"a\"\r\n\r\nx",
        );
        yield 'upload-by-put' => Question::ask(
            'PUT',
            self::TELL,
            '',
            "--sep\r\n" . self::field('a', '1') . "\r\n--sep--\r\n",
            'Content-Type: multipart/form-data; boundary=sep',
        );
        yield 'upload-chunked' => Question::raw(
            self::TELL,
            "POST {case}/index.php HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n"
                . "Content-Type: multipart/form-data; boundary=sep\r\n\r\n7\r\n--sep\r\n\r\n"
                . dechex(strlen(self::file('f', 'a.txt'))) . "\r\n"
                . self::file('f', 'a.txt') . "\r\n9\r\n\r\n--sep--\r\n0\r\n\r\n",
        );
    }

    /** @return iterable<string, Question> */
    private static function malformed(): iterable
    {
        $field = self::field('a', '1');
        $file = self::file('f', 'a.txt');
        yield 'multipart-without-end' => self::body("--sep\r\n$file");
        yield 'multipart-without-last-boundary' => self::body("--sep\r\n$field\r\n--sep\r\n$file\r\n");
        yield 'multipart-ends-in-headers' => self::body("--sep\r\n$field\r\n--sep\r\nContent-Disposition: form-data; na");
        yield 'multipart-ends-in-a-boundary' => self::body("--sep\r\n$field\r\n--se");
        yield 'multipart-empty' => self::body('');
        yield 'multipart-only-end' => self::body("--sep--\r\n");
        yield 'multipart-other-boundary' => self::body("--other\r\n$field\r\n--other--\r\n");
        yield 'multipart-no-boundary' => self::body("--sep\r\n$field\r\n--sep--\r\n", 'multipart/form-data');
        yield 'multipart-empty-boundary' => self::body("--\r\n$field\r\n----\r\n", 'multipart/form-data; boundary=');
        yield 'multipart-quoted-boundary' => self::body(
            "--a b\r\n$field\r\n--a b--\r\n",
            'multipart/form-data; boundary="a b"',
        );
        yield 'multipart-open-quote' => self::body("--sep\r\n$field\r\n--sep--\r\n", 'multipart/form-data; boundary="sep');
        yield 'multipart-long-boundary' => self::body(
            '--' . str_repeat('b', 6000) . "\r\n$field\r\n--" . str_repeat('b', 6000) . "--\r\n",
            'multipart/form-data; boundary=' . str_repeat('b', 6000),
        );
        yield 'multipart-comma' => self::body("--sep\r\n$field\r\n--sep--\r\n", 'multipart/form-data, boundary=sep');
        yield 'multipart-capitals' => self::body("--sep\r\n$field\r\n--sep--\r\n", 'Multipart/Form-Data; Boundary=sep');
        yield 'multipart-charset' => self::body(
            "--sep\r\n$field\r\n--sep--\r\n",
            'multipart/form-data; charset=utf-8; boundary=sep',
        );
        yield 'multipart-preamble' => self::body("preamble\r\n--sep\r\n$field\r\n--sep--\r\nepilogue");
        yield 'multipart-line-feeds' => self::body("--sep\n" . str_replace("\r", '', $field) . "\n--sep--\n");
        yield 'multipart-no-name' => self::body(
            "--sep\r\nContent-Disposition: form-data\r\n\r\n1\r\n--sep\r\n$field\r\n--sep--\r\n",
        );
        yield 'multipart-no-disposition' => self::body("--sep\r\nContent-Type: a/b\r\n\r\n1\r\n--sep\r\n$field\r\n--sep--\r\n");
        yield 'multipart-no-headers' => self::body("--sep\r\n\r\n1\r\n--sep\r\n$field\r\n--sep--\r\n");
        yield 'multipart-file-without-name' => self::body(
            "--sep\r\nContent-Disposition: form-data; filename=\"a\"\r\n\r\n1\r\n--sep--\r\n",
        );
        yield 'multipart-bad-arrays' => Question::upload(
            self::TELL,
            self::file('f[', 'a'),
            self::file('g]', 'b'),
            self::file('h[x', 'c'),
            self::file('[i]', 'd'),
            self::file('j[x]y', 'e'),
            self::field('k[', '1'),
        );
        yield 'multipart-zero-in-name' => Question::upload(
            self::TELL,
            self::file("f\0g", "a\0b.txt"),
            self::field("c\0d", "e\0f"),
        );
        yield 'multipart-mixed' => self::body("--sep\r\n$field\r\n--sep--\r\n", 'multipart/mixed; boundary=sep');
    }

    /** @return iterable<string, Question> */
    private static function limited(): iterable
    {
        $large = self::file('f', 'a.txt', str_repeat('x', 3000));
        yield 'limit-upload-max-filesize' => Question::upload(self::TELL, $large, self::field('a', '1'))
            ->ini('upload_max_filesize=1K');
        yield 'limit-upload-max-filesize-equal' => Question::upload(self::TELL, self::file('f', 'a', str_repeat('x', 1024)))
            ->ini('upload_max_filesize=1K');
        yield 'limit-max-file-size-field' => Question::upload(self::TELL, self::field('MAX_FILE_SIZE', '100'), $large);
        yield 'limit-post-max-size' => Question::upload(self::TELL, $large)->ini('post_max_size=1K');
        yield 'limit-post-max-size-zero' => Question::upload(self::TELL, $large)->ini('post_max_size=0');
        yield 'limit-max-file-uploads' => Question::upload(
            self::TELL,
            ...array_map(static fn (int $number): string => self::file("f$number", 'a.txt'), range(1, 25)),
        );
        yield 'limit-max-file-uploads-two' => Question::upload(
            self::TELL,
            self::file('a', 'a'),
            self::file('b', ''),
            self::file('c', 'c'),
            self::file('d', 'd'),
        )->ini('max_file_uploads=2');
        yield 'limit-file-uploads-off' => Question::upload(self::TELL, $large, self::field('a', '1'))->ini('file_uploads=0');
        yield 'limit-max-input-vars' => Question::upload(
            self::TELL,
            ...array_map(static fn (int $number): string => self::field("v$number", '1'), range(1, 10)),
        )->ini('max_input_vars=3');
        yield 'limit-multipart-body-parts' => Question::upload(
            self::TELL,
            ...array_map(static fn (int $number): string => self::field("v$number", '1'), range(1, 10)),
        )->ini('max_multipart_body_parts=5');
        yield 'limit-no-temporary-folder' => Question::upload(self::TELL, $large)->ini('upload_tmp_dir=/nonexistent/folder');
        yield 'limit-not-read' => Question::upload(self::TELL, $large)->ini('enable_post_data_reading=0');
        yield 'limit-nesting' => Question::upload(self::TELL, self::file('f[a][b][c]', 'a'), self::field('g[a][b][c]', '1'))
            ->ini('max_input_nesting_level=2');
    }

    /** @return iterable<string, Question> */
    private static function handled(): iterable
    {
        yield 'uploaded-file' => Question::upload(<<<'PHP'
            <?php
            $from = $_FILES['f']['tmp_name'];
            $to = tempnam(sys_get_temp_dir(), 'moved');
            $told = [is_uploaded_file($from), is_uploaded_file(__FILE__), move_uploaded_file(__FILE__, $to)];
            $told = [...$told, move_uploaded_file($from, $to), file_exists($from), file_get_contents($to)];
            $told[] = is_uploaded_file($to);
            $told = [...$told, move_uploaded_file($from, $to), decoct(fileperms($to) & 0777)];
            unlink($to);
            tell($told);
            PHP, self::file('f', 'a.txt'));
        yield 'uploaded-file-unlinked' => Question::upload(
            '<?php tell([unlink($_FILES["f"]["tmp_name"]), is_uploaded_file($_FILES["f"]["tmp_name"])]);',
            self::file('f', 'a.txt'),
        );
        yield 'uploaded-file-in-open-basedir' => Question::upload(
            '<?php tell([is_readable($_FILES["f"]["tmp_name"]), move_uploaded_file($_FILES["f"]["tmp_name"], "/usr/x")]);',
            self::file('f', 'a.txt'),
        )->ini('open_basedir=' . sys_get_temp_dir());
    }
}
