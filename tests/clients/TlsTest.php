<?php

declare(strict_types=1);

namespace Howdah\ClientTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use Throwable;

/** curl's program and h2load, over TLS with HTTP/1.1 and HTTP/2; curl with HTTP/3 where nginx has it. */
final class TlsTest extends ClientTestCase
{
    /** What libcurl calls the versions that its program's options name; PHP 8.2 has no name for the last one. */
    private const VERSIONS = ['--http1.1' => CURL_HTTP_VERSION_1_1, '--http2' => CURL_HTTP_VERSION_2TLS, '--http3-only' => 31];

    private static ?TlsServer $tls = null;

    private static function tls(): TlsServer
    {
        return self::$tls ??= new TlsServer(self::APP);
    }

    public static function tearDownAfterClass(): void
    {
        self::$tls?->stop();
        self::$tls = null;
        parent::tearDownAfterClass();
    }

    protected function onNotSuccessfulTest(Throwable $t): never
    {
        fwrite(STDERR, "\n---- log ({$this->name()})\n" . substr(self::$tls?->log() ?? '', -3000) . "\n");
        parent::onNotSuccessfulTest($t);
    }

    /** @return array<string, array{string, string, string}> mode, curl's option, $_SERVER's SERVER_PROTOCOL */
    public static function protocols(): array
    {
        return [
            'classic, HTTP/1.1' => ['classic', '--http1.1', 'HTTP/1.1'],
            'classic, HTTP/2' => ['classic', '--http2', 'HTTP/2.0'],
            'worker, HTTP/1.1' => ['worker', '--http1.1', 'HTTP/1.1'],
            'worker, HTTP/2' => ['worker', '--http2', 'HTTP/2.0'],
        ];
    }

    /** @return array<string, array{string, string, string}> */
    public static function all(): array
    {
        $quic = [
            'classic, HTTP/3' => ['classic', '--http3-only', 'HTTP/3.0'],
            'worker, HTTP/3' => ['worker', '--http3-only', 'HTTP/3.0'],
        ];

        return self::protocols() + (TlsServer::hasQuic() ? $quic : []);
    }

    #[DataProvider('all')]
    public function test_curl_asks_and_is_told(string $mode, string $option, string $protocol): void
    {
        $told = $this->curl($mode, $option, '/?a=1&b[]=2');
        self::assertSame(['GET', $protocol, 'https'], [$told['method'], $told['protocol'], $told['scheme']]);
        self::assertSame(['a' => '1', 'b' => ['2']], $told['query']);
        $told = $this->curl($mode, $option, '/', '--data-urlencode', 'name=Jürgen & Söhne', '-d', 'list[x]=1');
        self::assertSame(['name' => 'Jürgen & Söhne', 'list' => ['x' => '1']], $told['post']);
        $told = $this->curl($mode, $option, '/', '-X', 'PATCH', '-H', 'Content-Type: text/x', '-d', 'abc');
        self::assertSame(['PATCH', 3, hash('sha256', 'abc')], [$told['method'], $told['size'], $told['hash']]);
    }

    /** By itself: a program that is killed does not say so with HTTP/3. */
    #[DataProvider('all')]
    public function test_a_client_that_leaves_is_noticed_where_its_request_waits(string $mode, string $option): void
    {
        foreach (['', 'a part of the answer'] as $flushed) {
            $told = self::file(0);
            file_put_contents($told, '');
            $url = self::tls()->url($mode, '/stay?told=' . urlencode($told) . '&flushed=' . urlencode($flushed));
            $this->leave($url, $option, static fn (string $heard): bool => $heard === $flushed && is_file("$told.begun"));

            Clock::await(static fn (): bool => (string) @file_get_contents($told) !== '', "flushed: '$flushed'");
            self::assertSame((string) CONNECTION_ABORTED, file_get_contents($told));
            unlink("$told.begun");
        }
    }

    /**
     * libcurl asks, and closes its connection when something is so.
     *
     * @param callable(string): bool $when told what has come
     */
    private function leave(string $url, string $option, callable $when): void
    {
        $heard = '';
        $certificate = self::tls()->certificate();
        assert($url !== '' && $certificate !== '');
        $curl = curl_init($url);
        curl_setopt_array($curl, [
            CURLOPT_HTTP_VERSION => self::VERSIONS[$option],
            CURLOPT_CAINFO => $certificate,
            CURLOPT_NOPROXY => '*',
            CURLOPT_WRITEFUNCTION => static function ($curl, string $part) use (&$heard): int {
                $heard .= $part;

                return strlen($part);
            },
        ]);
        $multi = curl_multi_init();
        curl_multi_add_handle($multi, $curl);
        Clock::await(static function () use ($multi, $when, &$heard): bool {
            curl_multi_exec($multi, $running);
            self::assertFalse(curl_multi_info_read($multi), "it ended by itself after '$heard'");

            return $when($heard);
        }, 'the request waits');
        curl_multi_remove_handle($multi, $curl);
        curl_close($curl);
        curl_multi_close($multi);
    }

    /** curl says Expect: 100-continue for large bodies, and sends what it reads from a pipe in chunks. */
    #[DataProvider('all')]
    public function test_curl_sends_files(string $mode, string $option): void
    {
        $file = self::file(5_000_000);
        $hash = hash_file('sha256', $file);
        $form = $this->curl($mode, $option, '/', '-F', "one=@$file;filename=größe.bin", '-F', 'two=text');
        self::assertSame([['one' => ['größe.bin', 5_000_000, 0, $hash]], ['two' => 'text']], [$form['files'], $form['post']]);
        $put = $this->curl($mode, $option, '/', '-T', $file, '-H', 'Content-Type: application/octet-stream');
        self::assertSame(['PUT', 5_000_000, $hash], [$put['method'], $put['size'], $put['hash']]);
        $arguments = array_map(escapeshellarg(...), [...$this->command($option), '-T', '-', self::tls()->url($mode, '/')]);
        $told = self::said('sh', '-c', 'cat ' . escapeshellarg($file) . ' | ' . implode(' ', $arguments));
        self::assertStringContainsString("\"size\":5000000,\"hash\":\"$hash\"", $told);
    }

    /** One connection, a jar of cookies. */
    #[DataProvider('all')]
    public function test_curl_keeps_cookies_and_its_connection(string $mode, string $option): void
    {
        $jar = self::file(0);
        $url = self::tls()->url($mode, '/');
        $more = ['-c', $jar, '-b', '', '-w', "\n%{num_connects}\n", $url, $url, $url];
        $several = self::said(...$this->command($option), ...$more);
        preg_match_all('~"visits":(\d)~', $several, $visits);
        self::assertSame(['0', '1', '2'], $visits[1]);
        preg_match_all('~^(\d)$~m', $several, $connections);
        self::assertSame(['1', '0', '0'], $connections[1]);
        self::assertSame(3, $this->curl($mode, $option, '/', '-b', $jar)['visits']);
    }

    #[DataProvider('protocols')]
    public function test_h2load_is_answered_each_time(string $mode, string $option, string $protocol): void
    {
        $h1 = $protocol === 'HTTP/1.1' ? ['--h1'] : ['-m', '16'];
        $told = self::said('h2load', '-n', '3000', '-c', '8', ...[...$h1, self::tls()->url($mode, '/hello?name=h2load')]);
        self::assertStringContainsString('3000 done, 3000 succeeded, 0 failed, 0 errored, 0 timeout', $told);
        self::assertStringContainsString('status codes: 3000 2xx, 0 3xx, 0 4xx, 0 5xx', $told);
        preg_match('~, (\d+)B?\) data|\((\d+)\) data~', $told, $data);
        self::assertSame(3000 * strlen('hello h2load'), (int) end($data), $told);
    }

    /** Many requests in one connection, in one worker: each waits until 16 of them are there. */
    #[DataProvider('modes')]
    public function test_h2load_s_requests_wait_at_once(string $mode): void
    {
        $place = self::file(0);
        file_put_contents($place, '');
        $url = self::tls()->url($mode, '/meet?count=16&place=' . urlencode($place));
        $told = self::said('h2load', '-n', '320', '-c', '1', '-m', '16', $url);
        self::assertStringContainsString('320 succeeded, 0 failed, 0 errored', $told);
        self::assertStringContainsString('status codes: 320 2xx, 0 3xx, 0 4xx, 0 5xx', $told);
    }

    /** @return list<string> */
    private function command(string $option): array
    {
        $limit = ['--max-time', (string) Clock::PATIENCE];

        return ['curl', '-sS', '--fail', ...$limit, '--noproxy', '*', '--cacert', self::tls()->certificate(), $option];
    }

    /** @return array<array-key, mixed> */
    private function curl(string $mode, string $option, string $uri, string ...$more): array
    {
        $told = json_decode(self::said(...$this->command($option), ...['-g', ...$more, self::tls()->url($mode, $uri)]), true);
        self::assertIsArray($told);

        return $told;
    }
}
