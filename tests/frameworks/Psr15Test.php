<?php

/** The PSR-15 example in both modes: what its handlers are given, and what of their answers reaches the client. */

declare(strict_types=1);

namespace Howdah\FrameworkTests;

use CURLStringFile;
use Howdah\HttpTests\Response;
use Howdah\HttpTests\Server;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class Psr15Test extends TestCase
{
    private const PROJECT = __DIR__ . '/../../examples/psr15';

    /** @var array<string, Server> by mode */
    private static array $servers = [];

    public static function setUpBeforeClass(): void
    {
        exec(escapeshellarg(self::PROJECT . '/bin/setup') . ' 2>&1', $output, $status);
        self::assertSame(0, $status, implode("\n", $output));
        foreach (['classic', 'worker'] as $mode) {
            // One realm: what a request leaves behind, the next one finds.
            self::$servers[$mode] = Server::serving(self::PROJECT, "--mode=$mode", '--workers=1', '--concurrency=1');
        }
    }

    public static function tearDownAfterClass(): void
    {
        array_map(static fn (Server $server) => $server->stop(), self::$servers);
        self::$servers = [];
    }

    /** @return iterable<string, array{string}> */
    public static function modes(): iterable
    {
        yield 'classic' => ['classic'];
        yield 'worker' => ['worker'];
    }

    #[DataProvider('modes')]
    public function test_the_handler_gets_the_whole_request(string $mode): void
    {
        $server = self::$servers[$mode];
        $answer = $this->echoed($mode, '/echo?a=1&b%5B%5D=2&c.d=%20', [
            CURLOPT_HTTPHEADER => ['X-One: first', 'Accept: application/json'],
            CURLOPT_COOKIE => 'taste=sweet',
        ]);

        self::assertSame('GET', $answer['method']);
        self::assertSame("http://127.0.0.1:{$server->port}/echo?a=1&b%5B%5D=2&c.d=%20", $answer['uri']);
        self::assertSame('1.1', $answer['version']);
        self::assertSame(['a' => '1', 'b' => ['2'], 'c_d' => ' '], $answer['query']);
        self::assertSame(['taste' => 'sweet'], $answer['cookies']);
        self::assertSame('127.0.0.1', $answer['remote']);
        self::assertSame(['query' => $answer['query'], 'method' => 'GET'], $answer['superglobals']);
        $headers = $answer['headers'];
        self::assertIsArray($headers);
        ksort($headers);
        self::assertSame([
            'Accept' => ['application/json'],
            'Cookie' => ['taste=sweet'],
            'Host' => ["127.0.0.1:{$server->port}"],
            'X-One' => ['first'],
        ], $headers);
    }

    #[DataProvider('modes')]
    public function test_nothing_of_a_request_is_left_for_the_next(string $mode): void
    {
        $this->echoed($mode, '/echo?a=1', [
            CURLOPT_POSTFIELDS => ['field' => 'value', 'file' => new CURLStringFile('content', 'name.txt')],
            CURLOPT_HTTPHEADER => ['X-One: first', 'Expect:'],
            CURLOPT_COOKIE => 'taste=sweet',
        ]);
        $next = $this->echoed($mode, '/echo');

        foreach (['query', 'cookies', 'files', 'attributes'] as $what) {
            self::assertSame([], $next[$what], $what);
        }
        self::assertSame(['GET', null, ''], [$next['method'], $next['form'], $next['body']]);
        self::assertIsArray($next['headers']);
        self::assertArrayNotHasKey('X-One', $next['headers']);
        self::assertSame(['query' => [], 'method' => 'GET'], $next['superglobals']);
    }

    /** Each is built at once: the runner does not tell how a library would write it. */
    #[DataProvider('modes')]
    public function test_odd_targets_are_what_the_library_makes_of_them(string $mode): void
    {
        $port = self::$servers[$mode]->port;
        $uris = [
            '/echo?q=[1]' => "http://127.0.0.1:$port/echo?q=%5B1%5D",
            '/%65cho' => null,
            '/echo?' => "http://127.0.0.1:$port/echo",
            '/echo?a=%zz' => "http://127.0.0.1:$port/echo?a=%25zz",
        ];
        foreach ($uris as $target => $uri) {
            $response = self::$servers[$mode]->client->get($target);
            self::assertSame($uri === null ? 404 : 200, $response->status, $target);
            if ($uri !== null) {
                self::assertSame($uri, $this->decoded($response)['uri'], $target);
            }
        }
    }

    /** A handler that keeps its request must not be told of the next one. */
    public function test_a_request_that_was_kept_tells_nothing_of_another(): void
    {
        $client = self::$servers['worker']->client;
        $client->get('/keep', [CURLOPT_HTTPHEADER => ['X-One: first']]);
        $asked = $client->get('/kept', [CURLOPT_HTTPHEADER => ['X-One: second']]);

        self::assertSame(200, $asked->status, $asked->body);
        self::assertStringContainsString('this request has ended', $asked->body);
        self::assertStringNotContainsString('second', $asked->body);
    }

    /** Else each that a reference cycle holds would keep its descriptor and the disk's space. */
    public function test_the_files_of_a_request_that_was_kept_are_closed(): void
    {
        $server = self::$servers['worker'];
        $fields = ['file' => new CURLStringFile('content', 'name.txt')];
        $response = $server->client->get('/keep', [CURLOPT_POSTFIELDS => $fields, CURLOPT_HTTPHEADER => ['Expect:']]);

        self::assertSame(200, $response->status, $response->body);
        $open = [];
        foreach ($server->workers() as $worker) {
            $links = array_map(static fn (string $link) => (string) @readlink($link), glob("/proc/$worker/fd/*") ?: []);
            $open = [...$open, ...preg_grep('~/php\w{6} \(deleted\)$~', $links) ?: []];
        }
        self::assertSame([], $open);
    }

    #[DataProvider('modes')]
    public function test_bodies_forms_and_files_arrive(string $mode): void
    {
        $json = $this->echoed($mode, '/echo', [
            CURLOPT_CUSTOMREQUEST => 'PUT',
            CURLOPT_POSTFIELDS => '{"a":1}',
            CURLOPT_HTTPHEADER => ['Content-Type: application/json', 'Expect:'],
        ]);
        $chunked = $this->echoed($mode, '/echo', [
            CURLOPT_POST => true,
            CURLOPT_POSTFIELDS => 'in pieces',
            CURLOPT_HTTPHEADER => ['Content-Type: text/plain', 'Transfer-Encoding: chunked', 'Expect:'],
        ]);
        $form = $this->echoed($mode, '/echo', [CURLOPT_POSTFIELDS => 'a=1&b%5Bc%5D=2', CURLOPT_HTTPHEADER => ['Expect:']]);
        $files = $this->echoed($mode, '/echo', [CURLOPT_POSTFIELDS => [
            'field' => 'value',
            'one' => new CURLStringFile('content', 'name.txt', 'text/plain'),
            'many[deep][0]' => new CURLStringFile('zero', '0.txt', 'text/plain'),
            'many[deep][1]' => new CURLStringFile('', 'empty.txt', 'text/plain'),
        ], CURLOPT_HTTPHEADER => ['Expect:']]);

        self::assertSame(['PUT', '{"a":1}', null], [$json['method'], $json['body'], $json['form']]);
        self::assertSame(['in pieces', null], [$chunked['body'], $chunked['form']]);
        self::assertSame([['a' => '1', 'b' => ['c' => '2']], 'a=1&b%5Bc%5D=2'], [$form['form'], $form['body']]);
        self::assertSame(['field' => 'value'], $files['form']);
        self::assertSame([
            ['one', 'name.txt', 'text/plain', 7, md5('content'), UPLOAD_ERR_OK],
            [0, '0.txt', 'text/plain', 4, md5('zero'), UPLOAD_ERR_OK],
            [1, 'empty.txt', 'text/plain', 0, md5(''), UPLOAD_ERR_OK],
        ], $files['files']);
    }

    #[DataProvider('modes')]
    public function test_the_response_is_the_handlers(string $mode): void
    {
        $client = self::$servers[$mode]->client;
        $ping = $client->get('/ping');
        $gone = $client->get('/status/410?reason=Taken+away');
        $created = $client->get('/status/201');
        $empty = $client->get('/status/204');
        $cookies = $client->get('/cookies');
        $large = $client->get('/large/3000');

        self::assertSame([200, ['application/json']], [$ping->status, $ping->headers['content-type'] ?? null]);
        self::assertMatchesRegularExpression('/^\{"ack":\d{10}\}$/D', $ping->body);
        self::assertSame(410, $gone->status);
        self::assertSame([201, ['/ping']], [$created->status, $created->headers['location'] ?? null]);
        self::assertSame([204, ''], [$empty->status, $empty->body]);
        self::assertArrayNotHasKey('content-type', $empty->headers, 'the response had none');
        self::assertCount(3, $cookies->headers['set-cookie'] ?? [], "PHP's own session cookie, and two");
        self::assertSame(md5(str_repeat(str_repeat('x', 1023) . "\n", 3000)), md5($large->body));
    }

    #[DataProvider('modes')]
    public function test_what_a_handler_throws_is_logged_and_answered(string $mode): void
    {
        $server = self::$servers[$mode];
        $thrown = $server->client->get('/throw');
        $malformed = $server->client->get('/echo', [CURLOPT_HTTPHEADER => ["X-Odd: a\x01b"]]);
        $after = $server->client->get('/ping');

        self::assertSame([500, "Internal Server Error\n"], [$thrown->status, $thrown->body]);
        self::assertArrayNotHasKey('x-content-type-options', $thrown->headers);
        self::assertStringContainsString('thrown by a handler', $server->errors());
        self::assertSame([400, "Bad Request\n"], [$malformed->status, $malformed->body]);
        self::assertSame(200, $after->status);
        self::assertSame(0, $mode === 'worker' ? substr_count($server->errors(), 'realm') : 0, 'the realm goes on');
    }

    /**
     * @param array<int, mixed> $options
     *
     * @return array<array-key, mixed>
     */
    private function echoed(string $mode, string $target, array $options = []): array
    {
        $response = self::$servers[$mode]->client->get($target, $options);
        self::assertSame(200, $response->status, $response->body . self::$servers[$mode]->errors());

        return $this->decoded($response);
    }

    /** @return array<array-key, mixed> */
    private function decoded(Response $response): array
    {
        $answer = json_decode($response->body, true);
        self::assertIsArray($answer, $response->body);

        return $answer;
    }
}
