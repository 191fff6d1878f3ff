<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\Group;

/** howdah_trace: clients that send what they like, and requests that end in other ways than most. Each batch is valid all the same. */
#[Group('realms')]
final class TraceHostileTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/pool';

    private const TRACE = '0af7651916cd43dd8448eb211c80319c';

    private const PARENT = 'b7ad6b7169203331';

    private Collector $collector;

    protected function setUp(): void
    {
        parent::setUp();
        $this->collector = new Collector();
    }

    private function traced(string $more = ''): Client
    {
        return $this->serve('worker', "howdah_trace {$this->collector->url}; client_max_body_size 10; $more"
            . ' large_client_header_buffers 8 64k; location /figures { howdah_trace off; howdah_status; }');
    }

    public function test_no_header_or_path_breaks_a_batch(): void
    {
        $this->traced();
        $bytes = implode('', array_map(chr(...), array_diff(range(1, 255), [10, 13])));
        $parent = 'traceparent: 00-' . self::TRACE . '-' . self::PARENT . "-01\r\n";
        $headers = [
            "User-Agent: $bytes",
            'User-Agent: ' . str_repeat("\xf0\x9f\x98", 10_000),
            'User-Agent: ' . str_repeat("a\u{1f600}", 500),
            'User-Agent: ' . str_repeat('"\\', 15_000),
            $parent . "tracestate: $bytes",
            $parent . str_repeat("tracestate: a=" . str_repeat('"', 500) . "\r\n", 50) . 'x: y',
            $parent . "tracestate: \r\ntracestate:",
            'traceparent: ' . str_repeat('0', 30_000),
            "traceparent: \xff\x80\"\\",
            'traceparent:',
        ];
        foreach ($headers as $number => $header) {
            $answer = (new Http1($this->port))->get("/server?n=$number", "$header\r\n")->read();
            self::assertSame(200, $answer?->status, "header $number");
        }
        $lines = [
            'GET /%22%5C%00%ff" HTTP/1.1', "GET /\xff\xfe\x80\"\\ HTTP/1.1", 'GET /' . str_repeat('"', 30_000) . ' HTTP/1.1',
            'GET http://a/"?secret HTTP/1.1', 'GET http://a?secret HTTP/1.1', 'A-_Z / HTTP/1.1',
        ];
        foreach ($lines as $line) {
            $http = new Http1($this->port);
            $http->send("$line\r\nHost: \xff\xc3\"'\r\n\r\n");
            $http->read();
        }
        foreach (['a:99999999999999999999', 'a:70000', 'a:0', 'a:', '[::1]:80', '[::1', 'a.:80'] as $host) {
            $http = new Http1($this->port);
            $http->send("GET / HTTP/1.1\r\nHost: $host\r\n\r\n");
            $http->read();
        }
        $this->collector->await('GET /server');
        (new Http1($this->port))->get('/last')->read();
        $spans = $this->collector->await('GET /last');
        self::assertStringNotContainsString('secret', (string) json_encode($spans));
        $ports = array_filter(array_column(array_column($spans, 'attributes'), 'server.port'));
        self::assertSame([80], array_values(array_unique($ports)), 'a port is one of TCP');
        $states = array_values(array_filter(array_column($spans, 'traceState')));
        self::assertStringStartsWith(implode(',', array_fill(0, 2, 'a=' . str_repeat('"', 500))), $states[1] ?? '');
        foreach ($spans as $span) {
            self::assertLessThan(20_000, strlen((string) json_encode($span)), 'what one client sends fills no queue');
        }
    }
}
