<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** `howdah_request_buffering off`: PHP reads the body while it arrives. */
#[Group('flow')]
final class RequestBufferingTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/app/nginx';

    /** Of this run alone: sessions lie where those of others do. */
    private static string $session;

    public static function setUpBeforeClass(): void
    {
        self::$session = 'howdah' . bin2hex(random_bytes(10));
    }

    #[DataProvider('modes')]
    public function test_an_upload_shows_its_progress_while_it_arrives(string $mode): void
    {
        $client = $this->streaming($mode, 'howdah_ini session.upload_progress.enabled=1;'
            . ' howdah_ini session.upload_progress.min_freq=0;'
            . " howdah_ini session.upload_progress.freq=1%;");
        $content = random_bytes(300_000);
        $head = "--x\r\nContent-Disposition: form-data; name=\"PHP_SESSION_UPLOAD_PROGRESS\"\r\n\r\ntest\r\n"
            . "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n";
        $length = strlen($head) + strlen($content) + strlen("\r\n--x--\r\n");

        $socket = $this->send('/upload', "Content-Length: $length\r\nContent-Type: multipart/form-data; boundary=x\r\n"
            . 'Cookie: PHPSESSID=' . self::$session . "\r\n", $head . substr($content, 0, 200_000));
        $half = Clock::await(fn (): ?array => $this->progressAbove($client, 100_000), 'half of it has come');
        fwrite($socket, substr($content, 200_000) . "\r\n--x--\r\n");

        self::assertSame([$length, false], [$half['content_length'] ?? null, $half['done'] ?? null]);
        self::assertLessThan($length, $half['bytes_processed'] ?? $length);
        $expected = json_encode([0, 300_000, sha1($content)]);
        self::assertStringEndsWith("\r\n\r\n$expected", (string) stream_get_contents($socket), $this->log());
    }

    /** @return array<string, array{string, bool}> */
    public static function bodies(): array
    {
        return [
            'classic' => ['classic', false],
            'classic, in chunks' => ['classic', true],
            'worker' => ['worker', false],
            'worker, in chunks' => ['worker', true],
        ];
    }

    /** PHP asks for 16 KB at a time, and takes less for the end. */
    #[DataProvider('bodies')]
    public function test_a_script_has_the_first_bytes_before_the_last_are_sent(string $mode, bool $chunked): void
    {
        $this->streaming($mode);
        $first = str_repeat('first', 4000);
        $rest = random_bytes(500_000);
        $size = dechex(strlen($rest));

        $socket = $chunked
            ? $this->send('/input', "Transfer-Encoding: chunked\r\n", dechex(20_000) . "\r\n$first\r\n")
            : $this->send('/input', "Content-Length: 520000\r\n", $first);
        $got = Clock::await(fn (): ?string => @file_get_contents("{$this->folder}/got") ?: null, 'it has the first');
        fwrite($socket, $chunked ? "$size\r\n$rest\r\n0\r\n\r\n" : $rest);

        self::assertSame('first', $got, $this->log());
        $expected = json_encode([520_000, sha1("$first$rest")]);
        self::assertStringEndsWith("\r\n\r\n$expected", (string) stream_get_contents($socket), $this->log());
    }

    /** @return array<string, array{string, string}> */
    public static function halves(): array
    {
        $form = "Content-Type: multipart/form-data; boundary=x\r\n";

        return [
            'classic, raw' => ['classic', ''],
            'classic, form' => ['classic', $form],
            'worker, raw' => ['worker', ''],
            'worker, form' => ['worker', $form],
        ];
    }

    /** Nobody is to take it for a whole one. */
    #[DataProvider('halves')]
    public function test_half_a_body_ends_the_request(string $mode, string $type): void
    {
        $client = $this->streaming($mode);
        $body = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\nhalf";

        $socket = $this->send($type === '' ? '/input' : '/upload', "{$type}Content-Length: 1000\r\n", $body);
        usleep(200_000); // PHP may read it by now, or not: both are to end
        fclose($socket);

        self::assertTrue($this->logs('" 400 ', '" 499 '), $this->log());
        self::assertFileDoesNotExist("{$this->folder}/done");
        self::assertSame('front page', $client->get('/')->body);
    }

    #[DataProvider('modes')]
    public function test_http_2_streams_as_well(string $mode): void
    {
        $this->streaming($mode);
        $client = new Client("http://127.0.0.1:{$this->port2}");
        $body = random_bytes(2_000_000);

        $response = $client->post("/input?first=5&got={$this->folder}/got&done={$this->folder}/done", $body, [
            CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE,
        ]);

        self::assertSame(json_encode([2_000_000, sha1($body)]), $response->body, $this->log());
    }

    #[DataProvider('modes')]
    public function test_a_script_need_not_read_it(string $mode): void
    {
        $client = $this->streaming($mode);

        $response = $client->post('/unread', str_repeat('x', 3_000_000), [
            CURLOPT_HTTPHEADER => ['Content-Type: text/plain', 'Expect:'],
        ]);

        self::assertSame([200, 'not read'], [$response->status, $response->body], $this->log());
        self::assertSame('front page', $client->get('/')->body);
    }

    /** @return iterable<string, array{string, string}> */
    public static function protocols(): iterable
    {
        foreach (['classic', 'worker'] as $mode) {
            foreach (['length', 'chunks', 'HTTP/2'] as $how) {
                yield "$mode, $how" => [$mode, $how];
            }
        }
    }

    /** What has come while PHP did not read is there when it does: then no time runs. */
    #[DataProvider('modes')]
    public function test_the_clients_time_stands_still_while_php_does_not_read(string $mode): void
    {
        $this->streaming($mode, 'client_body_timeout 500ms;');
        $uploads = [];
        foreach (['length', 'chunks', 'HTTP/2'] as $how) {
            $uploads[$how] = $this->beginUpload($how, 'first');
            unlink("{$this->folder}/began");
        }

        usleep(1_250_000);
        foreach ($uploads as $upload) {
            $upload->send('0123456789');
        }
        touch("{$this->folder}/go");

        foreach ($uploads as $how => $upload) {
            $announced = $how === 'length' ? '15' : '';
            self::assertSame([200, "announced: $announced, read: 15"], $upload->answer(), "$how: {$this->log()}");
        }
    }

    #[DataProvider('protocols')]
    public function test_the_clients_time_runs_while_php_reads(string $mode, string $how): void
    {
        $client = $this->streaming($mode, 'client_body_timeout 500ms;');
        touch("{$this->folder}/go");
        $open = $this->beginUpload($how, 'first');

        self::assertTrue($this->logs('" 408 '), $this->log());
        unset($open);
        self::assertFileDoesNotExist("{$this->folder}/done");
        self::assertSame('front page', $client->get('/')->body);
    }

    #[DataProvider('protocols')]
    public function test_a_client_that_leaves_is_noticed_while_php_does_not_read(string $mode, string $how): void
    {
        $client = $this->streaming($mode, 'howdah_client_abort cancel;');

        $open = $this->beginUpload($how, 'first');
        unset($open);

        self::assertTrue($this->logs('" 499 '), $this->log());
        self::assertFileDoesNotExist("{$this->folder}/done");
        self::assertSame('front page', $client->get('/')->body);
    }

    /** @return iterable<string, array{string, string, int}> */
    public static function tooLarge(): iterable
    {
        foreach (['classic', 'worker'] as $mode) {
            foreach (['chunks', 'HTTP/2'] as $how) {
                yield "$mode, $how" => [$mode, $how, 0];
                yield "$mode, $how, ends slowly" => [$mode, $how, 500];
            }
        }
    }

    #[DataProvider('tooLarge')]
    public function test_a_body_that_grows_too_large_is_answered_413(string $mode, string $how, int $ends): void
    {
        $client = $this->streaming($mode, server: 'client_max_body_size 20k;');
        touch("{$this->folder}/go");
        $upload = $this->beginUpload($how, 'first', $ends);

        $upload->send(str_repeat('0123456789', 2048));
        self::assertSame(413, $upload->answer()[0], $this->log());
        unset($upload); // nginx waits for the client to close, and then logs
        self::assertTrue($this->logs('" 413 '), $this->log());
        self::assertFileDoesNotExist("{$this->folder}/done");
        self::assertSame('front page', $client->get('/')->body);
    }

    /** @return iterable<string, array{string, string, string, string, string}> */
    public static function takeovers(): iterable
    {
        foreach (self::protocols() as $name => [$mode, $how]) {
            yield "$name, X-Accel-Redirect" => [$mode, $how, '&To=/behind', 'GET', ''];
            yield "$name, error_page" => [$mode, $how, '&late=1', 'POST', 'howdah_request_timeout 2s;'];
        }
    }

    /** PHP has read it: there is none to pass on, nor a length to announce. */
    #[DataProvider('takeovers')]
    public function test_who_answers_in_phps_place_has_no_body(
        string $mode,
        string $how,
        string $query,
        string $method,
        string $limit,
    ): void {
        $itself = 'unix:{folder}/socket';
        $client = $this->streaming($mode, server: "listen $itself; $limit error_page 504 = @behind;"
            . " location @behind { rewrite ^ /body break; proxy_pass http://$itself; }"
            . " location = /behind { proxy_pass http://$itself:/body; }");
        touch("{$this->folder}/go");

        $upload = $this->beginUpload($how, 'first', 0, $query);
        $upload->send('0123456789');

        self::assertSame([200, "$method 0 " . sha1('')], $upload->answer(), $this->log());
        self::assertSame('front page', $client->get('/')->body);
    }

    #[DataProvider('modes')]
    public function test_wrong_chunks_are_answered_400(string $mode): void
    {
        $this->streaming($mode);
        touch("{$this->folder}/go");
        $client = new Http1($this->port);
        $client->send('POST ' . $this->atLast() . " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
        $this->awaitBeginning();
        $client->send("no number\r\n");

        self::assertSame(400, $client->read()?->status, $this->log());
        self::assertFileDoesNotExist("{$this->folder}/done");
    }

    private function atLast(int $ends = 0, string $query = ''): string
    {
        return "/at-last?ends=$ends$query&began={$this->folder}/began&go={$this->folder}/go&done={$this->folder}/done";
    }

    /** PHP has begun. */
    private function beginUpload(string $how, string $first, int $ends = 0, string $query = ''): Upload
    {
        $upload = new Upload($how, $how === 'HTTP/2' ? $this->port2 : $this->port, $this->atLast($ends, $query), $first);
        $this->awaitBeginning();

        return $upload;
    }

    private function awaitBeginning(): void
    {
        Clock::await(fn (): bool => file_exists("{$this->folder}/began"), fn (): string => "PHP begins: {$this->log()}");
    }

    private function streaming(string $mode, string $http = '', string $server = ''): Client
    {
        $edits = ['howdah_concurrency' => "$http howdah_concurrency"];

        return $this->share($mode, "howdah_request_buffering off; $server", $edits);
    }

    /** @return resource where the request's head and the first part of its body have been sent */
    private function send(string $path, string $headers, string $body)
    {
        $socket = $this->connect();
        $query = "first=5&got={$this->folder}/got&done={$this->folder}/done";
        fwrite($socket, "POST $path?$query HTTP/1.1\r\nHost: x\r\nConnection: close\r\n$headers\r\n$body");

        return $socket;
    }

    /** @return array<array-key, mixed>|null what the session tells, when it is more than so many bytes */
    private function progressAbove(Client $client, int $bytes): ?array
    {
        $progress = json_decode($client->get('/progress?session=' . self::$session)->body, true);

        return is_array($progress) && $progress['bytes_processed'] > $bytes ? $progress : null;
    }
}
