<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use CURLFile;
use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** Bodies of any size: whole, in flat memory, and nobody else waits for them. */
#[Group('flow')]
final class UploadTest extends FlowTestCase
{
    /** Megabytes, whatever is uploaded. */
    private const EXTRA = 20;

    private static string $file;
    private static int $bytes;
    private static string $checksum;

    public static function setUpBeforeClass(): void
    {
        self::$file = (string) tempnam(sys_get_temp_dir(), 'howdah-upload-');
        self::$bytes = self::megabytes(64, 1024) << 20;
        $file = fopen(self::$file, 'w');
        assert($file !== false);
        $block = random_bytes(1 << 20);
        for ($i = 0; $i < self::$bytes >> 20; ++$i) {
            fwrite($file, pack('J', $i) . substr($block, 8));
        }
        fclose($file);
        self::$checksum = self::$bytes . ' ' . hash_file('crc32b', self::$file);
    }

    public static function tearDownAfterClass(): void
    {
        unlink(self::$file);
    }

    #[DataProvider('modes')]
    public function test_a_large_body_is_a_stream(string $mode): void
    {
        $nginx = $this->serve($mode);
        $second = new Client("http://127.0.0.1:{$nginx->port2}");
        $length = [CURLOPT_INFILESIZE => self::$bytes];
        $http2 = [CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE];
        $before = self::forgetPeak($nginx);

        $answers = [
            'with its length' => self::put($nginx->client, $length)->body,
            'chunked' => self::put($nginx->client, [])->body,
            'HTTP/2' => self::put($second, $length + $http2)->body,
            'HTTP/2, no length' => self::put($second, $http2)->body,
        ];

        self::assertSame(array_fill_keys(array_keys($answers), self::$checksum), $answers);
        self::assertLessThan(self::EXTRA, self::peak($nginx) - $before);
    }

    #[DataProvider('modes')]
    public function test_a_large_file_of_a_form_takes_no_memory(string $mode): void
    {
        $nginx = $this->serve($mode);
        $before = self::forgetPeak($nginx);

        $told = self::submit($nginx->client, [])->json();

        self::assertSame(['files' => ['file' => self::$checksum], 'post' => ['title' => 'large']], $told);
        self::assertLessThan(self::EXTRA, self::peak($nginx) - $before);
    }

    /** PHP copies the file in one C function, which runs for seconds where the file is large. */
    #[DataProvider('modes')]
    public function test_others_are_answered_while_a_form_is_taken_apart(string $mode): void
    {
        $nginx = $this->serve($mode);
        // A form may be ready before this test has its turn to ask. Where nobody were answered, none would ever do.
        Clock::await(fn (): bool => $this->answeredMeanwhile($nginx) > 2, 'others are answered while a form is taken apart');
    }

    /** How many others were answered from when a form had been sent until its answer came. */
    private function answeredMeanwhile(Nginx $nginx): int
    {
        $form = curl_init("http://127.0.0.1:{$nginx->port}/files");
        curl_setopt_array($form, [
            CURLOPT_POSTFIELDS => ['title' => 'large', 'file' => new CURLFile(self::$file)],
            CURLOPT_HTTPHEADER => ['Expect:'],
            CURLOPT_RETURNTRANSFER => true,
        ]);
        $multi = curl_multi_init();
        curl_multi_add_handle($multi, $form);
        $other = new Http1($nginx->port);
        $answered = 0;
        do {
            curl_multi_exec($multi, $running);
            if (curl_getinfo($form, CURLINFO_SIZE_UPLOAD_T) < self::$bytes) {
                curl_multi_select($multi, 0.01);
                continue;
            }
            self::assertSame(200, $other->get('/process')->read()?->status);
            ++$answered;
        } while ($running > 0);
        self::assertStringContainsString(self::$checksum, (string) curl_multi_getcontent($form));

        return $answered;
    }

    #[DataProvider('modes')]
    public function test_the_input_can_be_read_again(string $mode): void
    {
        $client = $this->serve($mode)->client;
        foreach ([0, 50, 20_000, 3_000_001] as $bytes) {
            $body = $bytes > 0 ? random_bytes($bytes) : '';
            $told = $client->post('/input-twice', $body, [CURLOPT_HTTPHEADER => ['Content-Type: text/x', 'Expect:']])->json();

            self::assertSame([min(100, $bytes), true, sha1($body), true, $bytes - intdiv($bytes, 2)], $told);
        }
    }

    /** Clients that go in the middle leave nothing: no realm that waits for them, no temporary file, no memory. */
    #[DataProvider('modes')]
    public function test_uploads_that_are_broken_off_leave_nothing(string $mode): void
    {
        $nginx = $this->serve($mode, 'client_body_buffer_size 16k;');
        $worker = $nginx->workers()[0];
        $head = "POST /files HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\n";
        $part = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\n" . str_repeat('x', 200_000);
        for ($i = 0; $i < 50; ++$i) {
            foreach (["Content-Length: 1000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n30000\r\n"] as $framing) {
                self::assertTrue((new Http1($nginx->port))->send($head . $framing . $part));
            }
            $second = new Http2($nginx->port2);
            $stream = $second->request('/files', 'POST', ['content-type' => 'multipart/form-data; boundary=b'], true);
            $second->sendBody($stream, substr($part, 0, 30_000), false);
            $i % 2 === 0 ? $second->reset($stream) : null;
        }
        unset($second);

        self::assertUnharmed($nginx, $worker);
        self::eventually(static fn (): bool => self::deletedFiles($worker) === 0, 'temporary files are open still');
    }

    /** The client has sent everything and leaves while PHP takes the form apart. */
    #[DataProvider('modes')]
    public function test_a_client_that_leaves_ends_the_work_on_its_form(string $mode): void
    {
        $nginx = $this->serve($mode);
        $worker = $nginx->workers()[0];
        $left = false;
        $form = curl_init("http://127.0.0.1:{$nginx->port}/files");
        curl_setopt_array($form, [
            CURLOPT_POSTFIELDS => ['title' => 'large', 'file' => new CURLFile(self::$file)],
            CURLOPT_HTTPHEADER => ['Expect:'],
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_NOPROGRESS => false,
            CURLOPT_XFERINFOFUNCTION => static function ($curl, int $of, int $down, int $total, int $sent) use (&$left): int {
                $left = $sent >= self::$bytes;

                return $left ? 1 : 0;
            },
        ]);
        curl_exec($form);

        self::assertTrue($left);
        self::assertUnharmed($nginx, $worker);
        $uploads = fn (): array => glob("$this->folder/uploads/*") ?: [];
        self::eventually(static fn (): bool => $uploads() === [], 'an uploaded file is left');
    }

    /** Temporary files of nginx are deleted as soon as they are open. */
    private static function deletedFiles(int $worker): int
    {
        $links = array_map(static fn (string $link): string => (string) @readlink($link), glob("/proc/$worker/fd/*") ?: []);

        return count(array_filter($links, static fn (string $path): bool => str_contains($path, 'client_body')));
    }

    /** @param array<int, mixed> $options */
    private static function put(Client $client, array $options): Response
    {
        $file = fopen(self::$file, 'r');
        assert($file !== false);
        $headers = ['Content-Type: application/octet-stream', 'Expect:'];

        return $client->get('/input', $options + [
            CURLOPT_UPLOAD => true,
            CURLOPT_READDATA => $file,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_TIMEOUT => 300,
        ]);
    }

    /** @param array<int, mixed> $options */
    private static function submit(Client $client, array $options): Response
    {
        $form = ['title' => 'large', 'file' => new CURLFile(self::$file)];

        return $client->post('/files', $form, $options + [CURLOPT_TIMEOUT => 300]);
    }
}
