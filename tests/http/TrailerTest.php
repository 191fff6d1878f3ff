<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** Howdah\trailer(): a field after the body. */
final class TrailerTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/app/nginx';

    #[DataProvider('modes')]
    public function test_a_trailer_follows_the_last_chunk(string $mode): void
    {
        $this->serve($mode, '');
        $field = 'X-Sum: ' . sha1('last');

        $whole = $this->ask('/trailer', 'HTTP/1.1');
        $announced = $this->ask('/trailer?announce=1&flush=1', 'HTTP/1.1');

        self::assertStringEndsWith("\r\n\r\n4\r\nlast\r\n0\r\n$field\r\n\r\n", $whole);
        self::assertStringContainsString("\r\nTransfer-Encoding: chunked\r\n", $whole);
        self::assertStringEndsWith("\r\n\r\n6\r\nfirst \r\n4\r\nlast\r\n0\r\n$field\r\n\r\n", $announced);
        self::assertStringContainsString("\r\nTrailer: X-Sum\r\n", $announced);
        self::assertSame(2, substr_count($this->log(), 'trailer: true'));
    }

    #[DataProvider('modes')]
    public function test_http_2_has_trailers(string $mode): void
    {
        $client = $this->serve($mode, '', listen: ' http2');

        $response = $client->get('/trailer', [CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE]);

        self::assertSame(['last', sha1('last')], [$response->body, $response->header('x-sum')], $this->log());
    }

    public function test_where_there_can_be_none_php_is_told(): void
    {
        $this->serve('classic', '');

        $unannounced = $this->ask('/trailer?flush=1', 'HTTP/1.1');
        $old = $this->ask('/trailer', 'HTTP/1.0');

        self::assertStringEndsWith("\r\n4\r\nlast\r\n0\r\n\r\n", $unannounced);
        self::assertStringEndsWith("\r\n\r\nlast", $old);
        self::assertSame(2, substr_count($this->log(), 'trailer: false'));
    }

    /** RFC 9110, 6.5.1: who joins them to the header section would read another message. */
    #[DataProvider('modes')]
    public function test_what_belongs_before_the_body_is_refused(string $mode): void
    {
        $this->serve($mode, '');
        $forbidden = 'Content-Length,transfer-encoding,TE,Trailer,Connection,Host,Cache-Control,Range,If-Match,Authorization,'
            . 'Set-Cookie,COOKIE,Date,Location,Vary,Age,Content-Type,content-encoding,Content-Range';

        $answer = $this->ask("/trailer-names?names=$forbidden,ETag,X-Sum,Content-Digest", 'HTTP/1.1');

        self::assertStringEndsWith("\r\n$forbidden\r\n0\r\nETag: 5\r\nX-Sum: 5\r\nContent-Digest: 5\r\n\r\n", $answer);
    }

    private function ask(string $path, string $protocol): string
    {
        $socket = $this->connect();
        fwrite($socket, "GET $path $protocol\r\nHost: x\r\nConnection: close\r\n\r\n");

        return (string) stream_get_contents($socket);
    }
}
