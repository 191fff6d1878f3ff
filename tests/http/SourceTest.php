<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** No source of PHP is sent, and files are sent as nginx alone would: what it has opened is looked at, before the head leaves. */
#[Group('other')]
final class SourceTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/app/nginx';

    private const SOURCE = "<?php\n// secret\n";

    private const KEPT = 'open_file_cache max=100 inactive=1h; open_file_cache_valid 1h;';

    /** What nginx may do with a file, by the folder of the location. */
    private const LOCATIONS = [
        'plain' => '',
        'packed' => 'gzip_static on;',
        'always' => 'gzip_static always; gunzip on;',
        'direct' => 'directio 1;',
        'copied' => 'sendfile off; output_buffers 2 4k;',
        'kept' => self::KEPT,
        'changed' => 'sub_filter text TEXT; sub_filter_types *; sub_filter_once off;',
        'paged' => 'error_page 403 /paged/error.html;',
    ];

    /** The descriptor is kept, so there is a time between the look at the name and what is sent as long as the test likes. */
    #[DataProvider('modes')]
    public function test_what_is_sent_is_looked_at_whoever_has_its_name_now(string $mode): void
    {
        $client = $this->serve($mode, self::KEPT . $this->locations($mode));
        $this->write('plain/first.txt', self::SOURCE);
        $this->write('plain/second.txt', 'harmless');

        self::assertSame(self::SOURCE, $client->get('/alone/plain/first.txt')->body, 'nginx alone opens it, and keeps it');
        self::assertSame('harmless', $client->get('/plain/second.txt')->body);
        $this->write('plain/first.txt', 'harmless');
        $this->write('plain/second.txt', self::SOURCE);
        self::assertSame(self::SOURCE, $client->get('/alone/plain/first.txt')->body, 'and sends what it has kept');

        self::assertSame(403, $client->get('/plain/first.txt')->status, $this->log());
        self::assertSame('harmless', $client->get('/plain/second.txt')->body, $this->log());
        self::assertStringContainsString('plain/first.txt" begins as PHP\'s source does, and is not sent', $this->log());
    }

    #[DataProvider('modes')]
    public function test_a_file_is_sent_as_by_nginx_alone_and_a_source_never(string $mode): void
    {
        $client = $this->serve($mode, $this->locations($mode));
        foreach (array_keys(self::LOCATIONS) as $folder) {
            $this->write("$folder/page.txt", str_repeat("some text\n", 10_000));
            $this->write("$folder/page.txt.gz", (string) gzencode(str_repeat("some packed text\n", 10_000)));
            $this->write("$folder/empty.txt", '');
            $this->write("$folder/lib.txt", self::SOURCE);
            $this->write("$folder/lib.txt.gz", (string) gzencode(self::SOURCE));
            $this->write("$folder/error.html", '<p>own page</p>');
        }
        foreach (array_keys(self::LOCATIONS) as $folder) {
            foreach ($this->ways($client->get("/alone/$folder/page.txt")) as $way => $options) {
                // What is not there is PHP's in worker mode.
                $others = $mode === 'worker' ? ['empty.txt'] : ['empty.txt', 'none.txt'];
                foreach (['page.txt', ...($way === 'get' && $folder !== 'always' ? $others : [])] as $name) {
                    $told = "$way: /$folder/$name, {$this->log()}";
                    $alone = $client->get("/alone/$folder/$name", $options);
                    self::assertSame($this->told($alone), $this->told($client->get("/$folder/$name", $options)), $told);
                }
                $source = $client->get("/$folder/lib.txt", $options);
                $told = "$way: /$folder/lib.txt, {$this->log()}";
                self::assertSame($way === 'post' ? 405 : 403, $source->status, $told);
                self::assertStringNotContainsString('secret', $source->body, $told);
                self::assertCount($folder === 'paged' && $way !== 'post' ? 1 : 0, $source->headers['etag'] ?? [], $told);
                self::assertNull($source->header('content-encoding'), $told);
                self::assertSame($way === 'http2' ? null : 'keep-alive', $source->header('connection'), $told);
            }
        }
        self::assertSame('<p>own page</p>', $client->get('/paged/lib.txt')->body);
    }

    /** Unpacked archives and images that are built alike leave times that are none; -1 is what nginx says where there is none. */
    #[DataProvider('modes')]
    public function test_a_source_of_any_time_is_not_sent(string $mode): void
    {
        $client = $this->serve($mode, $this->locations($mode));
        $this->write('paged/error.html', '<p>own page</p>');
        foreach (array_keys(self::LOCATIONS) as $folder) {
            foreach ([-1, 0, -86_400, time() + 86_400] as $time) {
                $this->write("$folder/lib$time.txt", self::SOURCE);
                $this->write("$folder/lib$time.txt.gz", (string) gzencode(self::SOURCE));
                $this->write("$folder/page$time.txt", 'some text');
                $this->write("$folder/page$time.txt.gz", (string) gzencode('some packed text'));
                foreach (glob("{$this->folder}/root/$folder/*$time.*") ?: [] as $file) {
                    touch($file, $time);
                }
                $alone = $client->get("/alone/$folder/page$time.txt");
                foreach ($this->ways($alone) as $way => $options) {
                    $source = $client->get("/$folder/lib$time.txt", $options);
                    $told = "$way: $folder, $time, {$this->log()}";
                    self::assertSame($way === 'post' ? 405 : 403, $source->status, $told);
                    self::assertStringNotContainsString('secret', $source->body, $told);
                }
                self::assertSame($this->told($alone), $this->told($client->get("/$folder/page$time.txt")), "$folder, $time");
            }
        }
    }

    #[DataProvider('modes')]
    public function test_a_part_of_a_page_and_what_php_names_are_no_source_either(string $mode): void
    {
        $page = " location /page.html { root {$this->folder}/root; ssi on; }";
        $client = $this->serve($mode, $this->locations($mode) . $page);
        $this->write('plain/page.txt', 'some text');
        $this->write('plain/lib.txt', self::SOURCE);
        $this->write('page.html', 'begin, <!--# include virtual="/plain/page.txt" -->,'
            . ' <!--# include virtual="/plain/lib.txt" -->, <!--# include virtual="/plain/page.txt" -->, end');

        $page = $client->get('/page.html')->body;
        $named = $client->get('/accel?To=/plain/lib.txt');

        self::assertMatchesRegularExpression('~^begin, some text, .*403 Forbidden.*, some text, end$~s', $page, $this->log());
        self::assertSame(403, $named->status, $this->log());
        self::assertStringNotContainsString('secret', $page . $named->body);
        self::assertSame('some text', $client->get('/accel?To=/plain/page.txt')->body, $this->log());
    }

    private function locations(string $mode): string
    {
        $pass = $mode === 'worker' ? 'worker ' . self::APP . '/worker.php' : 'classic $document_root$uri';
        $all = '';
        foreach (self::LOCATIONS as $folder => $directives) {
            $all .= " location /$folder/ { root {$this->folder}/root; $directives howdah_files; howdah_pass $pass; }"
                . " location /alone/$folder/ { alias {$this->folder}/root/$folder/; $directives }";
        }

        return $all;
    }

    /** @return array<string, array<int, mixed>> how a file may be asked for, whose head is given */
    private function ways(Response $file): array
    {
        $with = static fn (string $header): array => [CURLOPT_HTTPHEADER => [$header]];
        $time = (string) $file->header('last-modified');

        return [
            'get' => [],
            'head' => [CURLOPT_NOBODY => true],
            'post' => [CURLOPT_POSTFIELDS => 'a=1'],
            'http2' => [CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE, CURLOPT_PORT => $this->port2],
            'packed' => $with('Accept-Encoding: gzip'),
            'part' => [CURLOPT_RANGE => '5-20'],
            'parts' => [CURLOPT_RANGE => '5-20,100-110'],
            'end' => [CURLOPT_RANGE => '-10'],
            'no part' => [CURLOPT_RANGE => '2000000-'],
            'unchanged since' => $with("If-Modified-Since: $time"),
            'unchanged' => $with('If-None-Match: ' . $file->header('etag')),
            'changed since' => $with('If-Unmodified-Since: Thu, 01 Jan 2015 00:00:00 GMT'),
        ];
    }

    /** @return array{int, array<string, list<string>>, string} */
    private function told(Response $response): array
    {
        $headers = array_diff_key($response->headers, ['date' => 0]);
        $type = $headers['content-type'][0] ?? '';
        // Parts have a boundary, with a new number each.
        $number = str_starts_with($type, 'multipart/') ? (string) strrchr($type, '=') : '';
        $headers['content-type'] = [str_replace($number, '', $type)];

        return [$response->status, $headers, str_replace(ltrim($number, '='), '', $response->body)];
    }

    /** In place at once, under its name. */
    private function write(string $name, string $text): void
    {
        $path = "{$this->folder}/root/$name";
        if (!is_dir(dirname($path))) {
            mkdir(dirname($path), 0755, true);
        }
        file_put_contents("$path.new", $text);
        rename("$path.new", $path);
    }
}
