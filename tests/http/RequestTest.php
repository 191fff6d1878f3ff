<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use CURLStringFile;
use PHPUnit\Framework\Attributes\DataProvider;

/** What a request brings reaches PHP's superglobals. */
final class RequestTest extends HttpTestCase
{
    #[DataProvider('modes')]
    public function test_query_cookies_and_headers_arrive(string $mode): void
    {
        $told = $this->server($mode)->client->get('/echo?a=1&b[]=x&b[]=y%20z', [
            CURLOPT_COOKIE => 'one=1; two=a%20b',
            CURLOPT_HTTPHEADER => ['X-Custom-Header: hello', 'Host: shop.example:81'],
            CURLOPT_USERPWD => 'ann:secret',
        ])->json();

        self::assertSame(['a' => '1', 'b' => ['x', 'y z']], $told['get']);
        self::assertSame(['one' => '1', 'two' => 'a b'], $told['cookie']);
        self::assertSame(['a' => '1', 'b' => ['x', 'y z']], $told['request']);
        self::assertSame('ann', $told['pwuser']);
        self::assertIsArray($told['server']);
        self::assertArrayIsEqualToArrayOnlyConsideringListOfKeys([
            'REQUEST_METHOD' => 'GET',
            'REQUEST_URI' => '/echo?a=1&b[]=x&b[]=y%20z',
            'QUERY_STRING' => 'a=1&b[]=x&b[]=y%20z',
            'HTTP_X_CUSTOM_HEADER' => 'hello',
            'HTTP_HOST' => 'shop.example:81',
            'SERVER_PROTOCOL' => 'HTTP/1.1',
            'REMOTE_ADDR' => '127.0.0.1',
            'DOCUMENT_ROOT' => self::APP . '/public',
        ], $told['server'], [
            'REQUEST_METHOD', 'REQUEST_URI', 'QUERY_STRING', 'HTTP_X_CUSTOM_HEADER', 'HTTP_HOST', 'SERVER_PROTOCOL',
            'REMOTE_ADDR', 'DOCUMENT_ROOT',
        ]);
    }

    #[DataProvider('modes')]
    public function test_a_form_arrives(string $mode): void
    {
        $told = $this->server($mode)->client->post('/echo?q=1', 'name=Ann&tags[]=a&tags[]=b')->json();

        self::assertSame(['name' => 'Ann', 'tags' => ['a', 'b']], $told['post']);
        self::assertSame(['q' => '1'], $told['get']);
    }

    #[DataProvider('modes')]
    public function test_uploads_arrive_whole(string $mode): void
    {
        $small = random_bytes(1000);
        $large = random_bytes(1_500_000);

        $told = $this->server($mode)->client->post('/echo', [
            'title' => 'two files',
            'small' => new CURLStringFile($small, 'small.bin', 'application/octet-stream'),
            'large' => new CURLStringFile($large, 'large ü.png', 'image/png'),
        ])->json();

        self::assertSame(['title' => 'two files'], $told['post']);
        self::assertSame([
            'small' => ['name' => 'small.bin', 'type' => 'application/octet-stream', 'size' => 1000, 'error' => 0,
                'sha1' => sha1($small)],
            'large' => ['name' => 'large ü.png', 'type' => 'image/png', 'size' => 1_500_000, 'error' => 0,
                'sha1' => sha1($large)],
        ], $told['files']);
    }

    #[DataProvider('modes')]
    public function test_a_raw_body_of_any_size_and_method_is_read_whole(string $mode): void
    {
        $client = $this->server($mode)->client;
        foreach ([0, 1, 16_384, 3_000_000] as $size) {
            foreach (['POST', 'PUT', 'PATCH', 'DELETE'] as $method) {
                $body = $size === 0 ? '' : random_bytes($size);
                $options = [CURLOPT_CUSTOMREQUEST => $method, CURLOPT_HTTPHEADER => ['Content-Type: text/x', 'Expect:']];

                self::assertSame(sha1($body), $client->post('/input', $body, $options)->body, "$method of $size bytes");
            }
        }
    }

    #[DataProvider('modes')]
    public function test_a_chunked_body_is_read_whole(string $mode): void
    {
        $body = random_bytes(200_000);
        $headers = ['Transfer-Encoding: chunked', 'Content-Type: application/json', 'Expect:'];

        $response = $this->server($mode)->client->post('/input', $body, [CURLOPT_HTTPHEADER => $headers]);

        self::assertSame(sha1($body), $response->body);
    }

    #[DataProvider('modes')]
    public function test_one_request_leaves_nothing_to_the_next(string $mode): void
    {
        $client = $this->server($mode)->client;
        $client->post('/echo?q=1', ['f' => new CURLStringFile('x', 'x.txt')], [CURLOPT_COOKIE => 'c=1']);

        $told = $client->get('/echo')->json();

        self::assertSame([[], [], [], []], [$told['get'], $told['post'], $told['cookie'], $told['files']]);
        self::assertIsArray($told['server']);
        self::assertArrayNotHasKey('HTTP_COOKIE', $told['server']);
        self::assertArrayNotHasKey('CONTENT_TYPE', array_filter($told['server']));
    }

    #[DataProvider('modes')]
    public function test_a_session_counts_for_its_own_cookie(string $mode): void
    {
        $client = $this->server($mode)->client;
        $first = $client->get('/cookie-count');
        $cookie = explode(';', (string) $first->header('Set-Cookie'))[0];

        $second = $client->get('/cookie-count', [CURLOPT_COOKIE => $cookie]);
        $stranger = $client->get('/cookie-count');

        self::assertSame(['1', '2', '1'], [$first->body, $second->body, $stranger->body]);
        self::assertNull($second->header('Set-Cookie'));
    }

    #[DataProvider('modes')]
    public function test_the_environment_and_settings_of_the_command_reach_php(string $mode): void
    {
        $client = $this->server($mode)->client;

        self::assertSame('"kept"', $client->get('/environment?name=FROM_OUTSIDE')->body);
        self::assertSame('"32M"', $client->get('/setting?name=memory_limit')->body);
        self::assertSame('"0"', $client->get('/setting?name=display_errors')->body);
    }

    public function test_classic_mode_forgets_and_worker_mode_remembers(): void
    {
        $classic = $this->server('classic')->client;
        $worker = $this->server('worker')->client;

        self::assertSame(['1', '1'], [$classic->get('/count')->body, $classic->get('/count')->body]);
        self::assertSame(['1', '2'], [$worker->get('/count')->body, $worker->get('/count')->body]);
    }

    #[DataProvider('modes')]
    public function test_the_host_is_that_of_an_absolute_request_target(string $mode): void
    {
        $told = $this->server($mode)->client->get('/', [
            CURLOPT_REQUEST_TARGET => 'http://shop.example:81/echo?a=1',
            CURLOPT_HTTPHEADER => ['Host: evil.example'],
        ])->json();

        self::assertIsArray($told['server']);
        self::assertSame('shop.example:81', $told['server']['HTTP_HOST']);
        self::assertSame(['a' => '1'], $told['get']);
    }
}
