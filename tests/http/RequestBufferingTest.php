<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** `howdah_request_buffering off`: PHP reads the body while it arrives. */
final class RequestBufferingTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/app/nginx';

    private const SESSION = 'howdahuploadprogresstest01';

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
            . 'Cookie: PHPSESSID=' . self::SESSION . "\r\n", $head . substr($content, 0, 200_000));
        $half = $this->eventually(fn (): ?array => $this->progressAbove($client, 100_000));
        fwrite($socket, substr($content, 200_000) . "\r\n--x--\r\n");

        self::assertNotNull($half, $this->log());
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
        $got = $this->eventually(fn (): ?string => @file_get_contents("{$this->folder}/got") ?: null);
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
        usleep(200_000);
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

    /** A clock is what is tested. */
    #[DataProvider('modes')]
    public function test_the_clients_time_stands_still_while_php_does_not_read(string $mode): void
    {
        $this->streaming($mode, 'client_body_timeout 500ms;');
        $answers = [];
        foreach (['length', 'chunks', 'HTTP/2'] as $how) {
            $answers[$how] = $this->beginUpload($how, 'first');
            unlink("{$this->folder}/began");
        }

        usleep(1_250_000);
        touch("{$this->folder}/go");

        foreach ($answers as $how => $answer) {
            $announced = $how === 'length' ? '15' : '';
            $expected = [200, "announced: $announced, read: 15"];
            self::assertSame($expected, $answer('0123456789'), "$how: {$this->log()}");
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
        $answer = $this->beginUpload($how, 'first', $ends);

        self::assertSame(413, $answer(str_repeat('0123456789', 2048))[0], $this->log());
        unset($answer); // nginx waits for the client to close, and then logs
        self::assertTrue($this->logs('" 413 '), $this->log());
        self::assertFileDoesNotExist("{$this->folder}/done");
        self::assertSame('front page', $client->get('/')->body);
    }

    /** @return iterable<string, array{string, string, string, string}> */
    public static function takeovers(): iterable
    {
        foreach (self::protocols() as $name => [$mode, $how]) {
            yield "$name, X-Accel-Redirect" => [$mode, $how, '&To=/behind', 'GET'];
            yield "$name, error_page" => [$mode, $how, '&late=1', 'POST'];
        }
    }

    /** PHP has read it: there is none to pass on, nor a length to announce. */
    #[DataProvider('takeovers')]
    public function test_who_answers_in_phps_place_has_no_body(string $mode, string $how, string $query, string $method): void
    {
        $itself = 'unix:{folder}/socket';
        $client = $this->streaming($mode, server: "listen $itself; howdah_request_timeout 1s; error_page 504 = @behind;"
            . " location @behind { rewrite ^ /body break; proxy_pass http://$itself; }"
            . " location = /behind { proxy_pass http://$itself:/body; }");
        touch("{$this->folder}/go");

        $answer = $this->beginUpload($how, 'first', 0, $query)('0123456789');

        self::assertSame([200, "$method 0 " . sha1('')], $answer, $this->log());
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

    /** @return \Closure(string): array{?int, ?string} PHP has begun; sends the rest, and has the answer's status and body */
    private function beginUpload(string $how, string $first, int $ends = 0, string $query = ''): \Closure
    {
        $uri = $this->atLast($ends, $query);
        if ($how === 'HTTP/2') {
            $client = new Http2($this->port2);
            $stream = $client->request($uri, 'POST', hasBody: true);
            $client->sendBody($stream, $first, false);
            $this->awaitBeginning();

            return static function (string $rest) use ($client, $stream): array {
                $client->sendBody($stream, $rest, true);
                $client->until(static fn () => isset($client->ended[$stream]));

                return [$client->statuses[$stream] ?? null, $client->bodies[$stream]];
            };
        }
        $client = new Http1($this->port);
        $chunk = static fn (string $text): string => dechex(strlen($text)) . "\r\n$text\r\n";
        $head = $how === 'length' ? 'Content-Length: 15' : 'Transfer-Encoding: chunked';
        $client->send("POST $uri HTTP/1.1\r\nHost: x\r\n$head\r\n\r\n" . ($how === 'length' ? $first : $chunk($first)));
        $this->awaitBeginning();

        return static function (string $rest) use ($client, $how, $chunk): array {
            $client->send($how === 'length' ? $rest : $chunk($rest) . "0\r\n\r\n");
            $answer = $client->read();

            return [$answer?->status, $answer?->body];
        };
    }

    private function awaitBeginning(): void
    {
        self::assertNotNull($this->eventually(fn (): ?bool => file_exists("{$this->folder}/began") ?: null), $this->log());
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
        $progress = json_decode($client->get('/progress?session=' . self::SESSION)->body, true);

        return is_array($progress) && $progress['bytes_processed'] > $bytes ? $progress : null;
    }

    /**
     * @template T
     * @param  callable(): (T|null) $look
     * @return T|null
     */
    private function eventually(callable $look): mixed
    {
        for ($tries = 0; $tries < 300; ++$tries) {
            $found = $look();
            if ($found !== null) {
                return $found;
            }
            usleep(20_000);
        }

        return null;
    }
}
