<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use CURLStringFile;
use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** HTTP/3 in a configuration of one's own (docs/serve.md), where nginx and curl have it: Debian 13's, not Debian 12's. */
#[Group('other')]
final class Http3Test extends DirectiveTestCase
{
    protected const MAY_CRASH = false;

    /** What libcurl calls HTTP/3 and nothing else; PHP 8.2 has no name for it. */
    private const ONLY_HTTP_3 = 31;

    private const BODY_BYTES = 3_000_000;

    /** PHP has no name for it (curl/curl.h). */
    private const CURL_VERSION_HTTP3 = 1 << 25;

    /** @return list<string> */
    protected static function options(string $mode): array
    {
        return [...parent::options($mode), '--workers=2', '--gzip', '--ini=upload_max_filesize=4M', '--client-abort=cancel'];
    }

    #[DataProvider('modes')]
    public function test_requests_are_as_with_http_2(string $mode): void
    {
        if ($this->lacks()) {
            return;
        }
        [$client, $port] = $this->serving($mode);

        // Each in a connection of its own: of either worker.
        for ($connection = 0; $connection < 10; $connection++) {
            $told = $client->get('/echo?a=1', self::http3())->json()['server'];
            self::assertIsArray($told);
            self::assertSame(
                ['on', 'https', "$port", 'HTTP/3.0', "127.0.0.1:$port"],
                array_map(
                    static fn (string $name) => $told[$name] ?? null,
                    ['HTTPS', 'REQUEST_SCHEME', 'SERVER_PORT', 'SERVER_PROTOCOL', 'HTTP_HOST'],
                ),
            );
        }
        $body = random_bytes(self::BODY_BYTES);
        self::assertSame(sha1($body), $client->post('/input', $body, self::http3())->body);
        $form = ['file' => new CURLStringFile($body, 'a.bin', 'image/x-own'), 'title' => 'x'];
        self::assertSame(
            [
                'post' => ['title' => 'x'],
                'files' => ['file' => ['name' => 'a.bin', 'type' => 'image/x-own', 'size' => self::BODY_BYTES, 'error' => 0,
                    'sha1' => sha1($body)]],
            ],
            array_intersect_key($client->post('/echo', $form, self::http3())->json(), ['post' => 0, 'files' => 0]),
        );
        $large = $client->get('/output?bytes=' . self::BODY_BYTES, self::http3());
        self::assertSame(str_repeat('x', self::BODY_BYTES), $large->body);
        foreach (['/nothing' => [], '/not-modified' => [], '/' => [CURLOPT_NOBODY => true]] as $uri => $options) {
            self::assertSame('', $client->get($uri, $options + self::http3())->body);
        }
        self::assertSame('/elsewhere?a=1', $client->get('/redirect', self::http3())->header('location'));
        $crowd = array_map(static fn (int $id): array => ["/sleep?ms=20&id=$id", self::http3()], range(1, 60));
        self::assertSame(
            range(1, 60),
            array_map(static fn (Response $response): int => (int) $response->body, $client->all($crowd)),
        );
    }

    #[DataProvider('modes')]
    public function test_what_is_flushed_comes_at_once(string $mode): void
    {
        if ($this->lacks()) {
            return;
        }
        [$client] = $this->serving($mode);
        $door = new Door();
        $parts = [];

        $client->all([["/flush?at={$door->path}", [
            CURLOPT_RETURNTRANSFER => false,
            CURLOPT_WRITEFUNCTION => static function ($curl, string $part) use (&$parts): int {
                $parts[] = $part;

                return strlen($part);
            },
        ] + self::http3()]], static function () use ($door, &$parts): void {
            $parts !== [] && $door->count() === 1 && $door->open();
        });

        self::assertSame(['first', 'second'], $parts);
    }

    /** Over HTTP/3 its stream says so, and no socket of its own. */
    #[DataProvider('modes')]
    public function test_a_client_that_leaves_ends_its_request(string $mode): void
    {
        if ($this->lacks()) {
            return;
        }
        [$client] = $this->serving($mode);
        foreach (['sleep', 'half'] as $how) {
            $file = "{$this->folder}/$how";
            $client->get("/endless?how=$how&file=$file", [
                CURLOPT_NOPROGRESS => false,
                CURLOPT_XFERINFOFUNCTION => static fn (): int => (int) file_exists("$file.begun"),
            ] + self::http3());
            $told = static fn (): string => (string) @file_get_contents($file);
            Clock::await(
                static fn (): bool => str_ends_with($told(), 'status 1'),
                fn (): string => "$how ends: {$told()} {$this->log()}",
            );
            self::assertSame('destroyed status 1', $told());
        }
        // While its body is on its way.
        $client->post('/input', str_repeat('x', 50_000_000), [
            CURLOPT_NOPROGRESS => false,
            CURLOPT_XFERINFOFUNCTION => static fn ($curl, $toCome, $came, $toGo, int $gone): int => (int) ($gone > 1_000_000),
        ] + self::http3());
        self::assertSame('front page', $client->get('/', self::http3())->body);
    }

    /** @return array{Client, int} and its port */
    private function serving(string $mode): array
    {
        $port = Server::freePort();
        $file = "{$this->folder}/tls";
        exec("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -subj /CN=localhost -days 9"
            . " -keyout $file.key -out $file.crt 2>&1", $lines, $status);
        self::assertSame(0, $status, implode("\n", $lines));
        $this->serve($mode, "listen 127.0.0.1:$port quic reuseport; ssl_certificate $file.crt; ssl_certificate_key $file.key;");

        return [new Client("https://127.0.0.1:$port"), $port];
    }

    /** @return array<int, mixed> options of curl */
    private static function http3(): array
    {
        return [CURLOPT_HTTP_VERSION => self::ONLY_HTTP_3, CURLOPT_SSL_VERIFYPEER => false, CURLOPT_SSL_VERIFYHOST => 0];
    }

    /** Whether this machine lacks HTTP/3, which is said. */
    private function lacks(): bool
    {
        exec('nginx -V 2>&1', $lines);
        $features = (curl_version() ?: [])['features'] ?? 0;
        $lacks = match (false) {
            str_contains(implode($lines), '--with-http_v3_module') => 'nginx',
            is_int($features) && ($features & self::CURL_VERSION_HTTP3) !== 0 => 'libcurl',
            default => null,
        };
        if ($lacks === null) {
            return false;
        }
        // Not in the words by which a suite as a whole is left out.
        fwrite(STDERR, "left out: {$this->nameWithDataSet()}: this machine's $lacks has no HTTP/3; that of Debian 13 has\n");
        $this->expectNotToPerformAssertions();

        return true;
    }
}
