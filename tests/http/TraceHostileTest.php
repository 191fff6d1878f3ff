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

    /** The caller's request is one span, whatever PHP makes of it: each of the others is below the one that has led to it. */
    public function test_where_a_request_is_led_is_below_it(): void
    {
        $pages = [
            'leads' => 'header("X-Accel-Redirect: /led");',
            'led' => 'http_response_code(404); echo $_SERVER["HTTP_TRACEPARENT"];',
            'page' => 'echo "<!--#include virtual=\"/leads\"-->";',
            'fails' => 'header("X-Accel-Redirect: /missing");',
        ];
        $locations = 'location = /missing { error_page 404 /led; return 404; }';
        foreach ($pages as $name => $code) {
            file_put_contents("{$this->folder}/$name.php", "<?php $code");
            $more = $name === 'page' ? 'ssi on; ' : '';
            $locations .= " location = /$name { {$more}howdah_pass classic {$this->folder}/$name.php; }";
        }
        $client = $this->traced($locations);
        $header = 'traceparent: 00-' . self::TRACE . '-' . self::PARENT . '-01';
        foreach ([['/leads', '/led'], ['/fails', '/led'], ['/page', '/leads', '/led']] as $names) {
            $body = $client->get($names[0], [CURLOPT_HTTPHEADER => [$header]])->body;
            $spans = array_map(fn (string $name): array => $this->collector->span("GET $name"), $names);
            self::assertCount(count($names), $this->collector->spans());
            self::assertSame(
                [self::PARENT, ...array_slice(array_column($spans, 'spanId'), 0, -1)],
                array_column($spans, 'parentSpanId')
            );
            self::assertSame([2, ...array_fill(0, count($names) - 1, 1)], array_column($spans, 'kind'));
            $last = $spans[count($spans) - 1];
            self::assertSame("00-{$last['traceId']}-{$last['spanId']}-01", $body);
            $this->collector->forget();
        }
    }
}
