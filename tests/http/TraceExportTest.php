<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** howdah_trace: the way of spans to a collector that does what it likes. Requests are served all the same. */
#[Group('realms')]
final class TraceExportTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/pool';

    private const ERROR = "HTTP/1.1 %d No\r\n%sContent-Length: 0\r\n\r\n";

    private Collector $collector;

    protected function setUp(): void
    {
        parent::setUp();
        $this->collector = new Collector();
    }

    private function traced(string $more = ''): Client
    {
        return $this->serve('worker', "howdah_trace {$this->collector->url}; $more"
            . ' location /figures { howdah_trace off; howdah_status; }');
    }

    /** How many spans have had this end. */
    private function spans(Client $client, string $result): int
    {
        preg_match("/^howdah_trace_spans_total\{result=\"$result\"\} (\d+)$/m", $client->get('/figures')->body, $found);

        return (int) ($found[1] ?? -1);
    }

    private function awaitCount(Client $client, string $result, int $count): void
    {
        $has = function () use ($client, $result): int {
            $this->collector->spans();

            return $this->spans($client, $result);
        };
        Clock::await(fn (): bool => $has() === $count, fn (): string => "$count are $result, not {$has()}: {$this->log()}");
    }

    public function test_what_a_collector_refuses_or_is_too_busy_for(): void
    {
        $this->collector->answers = [
            sprintf(self::ERROR, 400, ''),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2e\r\n"
                . "{\"partialSuccess\": {\"rejectedSpans\" : \"1\"   }}\r\n0\r\n\r\n",
            sprintf(self::ERROR, 503, "Retry-After: 1\r\n"),
            "HTTP/1.1 200 OK\r\n\r\n{}",
        ];
        $client = $this->traced();
        $client->get('/echo?text=a');
        $this->awaitCount($client, 'rejected', 1);
        $lost = "howdah: 1 spans for \"{$this->collector->url}\" were lost: it has answered with status 400";
        self::assertTrue($this->logs($lost));
        $client->all(['/echo', '/echo']);
        $this->awaitCount($client, 'rejected', 2);
        $this->awaitCount($client, 'exported', 1);
        $client->get('/echo');
        $this->awaitCount($client, 'exported', 2);
        self::assertCount(5, $this->collector->spans(), 'the last one came twice');
        self::assertSame([0, 0], [$this->spans($client, 'failed'), $this->spans($client, 'dropped')]);
        self::assertSame(1, substr_count($this->log(), 'were lost'), 'once a minute');
    }

    /** RFC 9112: what ends an answer is not only the connection, which this collector keeps. */
    public function test_an_answer_ends_where_http_says(): void
    {
        $this->collector = new Collector(keeps: true);
        $early = "HTTP/1.1 100 Continue\r\n\r\n";
        $chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        $this->collector->answers = [
            "HTTP/1.1 204 No Content\r\n\r\n",
            "{$early}HTTP/1.1 103 Early Hints\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            "{$early}{$chunked}2;why=\"0\"\r\n{}\r\n0\r\nx: y\r\n\r\n",
            "{$chunked}7\r\n0\r\n\r\n{}\r\n1f\r\n{\"rejectedSpans\":\"1\"           }\r\n0\r\n\r\n",
        ];
        $client = $this->traced();
        foreach ([1, 2, 3] as $number) {
            $client->get('/echo?text=a');
            $this->awaitCount($client, 'exported', $number);
        }
        $client->get('/echo?text=a');
        $this->awaitCount($client, 'rejected', 1);
        self::assertCount(4, $this->collector->spans(), 'each came once');
    }

    /** A name may have addresses where nobody listens, as localhost that of the other family: a worker that leaves has one try. */
    public function test_the_address_of_a_name_that_answers_is_found_and_kept(): void
    {
        $environment = getenv();
        $environment['LD_PRELOAD'] = dirname(__DIR__, 2) . '/build/addresses-limits.so';
        $url = str_replace('127.0.0.1', 'localhost', $this->collector->url);
        $nginx = new Nginx($this->folder, self::APP, self::options('worker'), "howdah_trace $url;", environment: $environment);
        $nginx->awaitReady();
        try {
            self::assertSame('a', $nginx->client->get('/echo?text=a')->body);
            posix_kill($nginx->pid(), SIGQUIT);
            $this->collector->await('GET /echo');
            Clock::await(static fn (): bool => !$nginx->isRunning(), fn (): string => "nginx ends: {$nginx->log()}");
            self::assertStringNotContainsString('were lost', $nginx->log());
        } finally {
            $nginx->stop();
        }
    }

    /** Tried three times: at once, after one second, after two more. */
    public function test_a_collector_that_is_not_there_or_says_nothing(): void
    {
        $this->collector->answers = ['', ''];
        $client = $this->traced();
        $client->get('/echo?text=a');
        Clock::await(fn (): bool => count($this->collector->spans()) === 2, 'it was tried, and again');
        $this->collector->close();
        $this->awaitCount($client, 'failed', 1);
        self::assertTrue($this->logs('were lost: it refuses the connection, or has closed it'));
        self::assertStringNotContainsString('connect()', $this->log());
    }

    /** Nobody waits for it, there is a bound for what waits, and the worker leaves when its time is over. */
    public function test_a_collector_that_hangs_holds_neither_requests_nor_a_worker_that_leaves(): void
    {
        $this->collector->answers = array_fill(0, 10, null);
        $client = $this->traced();
        self::assertSame('a', $client->get('/echo?text=a')->body);
        Clock::await(fn (): bool => $this->collector->waiting() === 1, 'it has a batch, and does not answer');
        $long = [CURLOPT_USERAGENT => str_repeat('"', 1024)];
        for ($asked = 0; $this->spans($client, 'dropped') === 0 && $asked < 4000; $asked += 100) {
            $answers = $client->all(array_fill(0, 100, ['/echo?text=b', $long]));
            self::assertSame(['b' => 100], array_count_values(array_column($answers, 'body')));
        }
        // None where that took so long that it is given up, and waits for its next try.
        self::assertLessThanOrEqual(1, $this->collector->waiting(), 'one batch at a time');
        self::assertTrue($this->logs('were lost: it takes them too slowly, or not at all, and no more may wait'));
        posix_kill($this->master(), SIGQUIT);
        self::assertTrue($this->ends());
        self::assertStringNotContainsString('open socket', $this->log());
        self::assertStringContainsString('were lost: for this reason or another, before this worker stopped', $this->log());
    }

    public function test_a_name_that_does_not_resolve_is_told_of_and_the_site_is_served(): void
    {
        $client = $this->serve('worker', 'howdah_trace http://no-such-host.invalid:4318;'
            . ' location /figures { howdah_trace off; howdah_status; }');
        $warning = 'the name of "http://no-such-host.invalid:4318" does not resolve (host not found)';
        self::assertStringContainsString($warning, $this->log());
        self::assertSame('a', $client->get('/echo?text=a')->body);
        $this->awaitCount($client, 'failed', 1);
        self::assertTrue($this->logs('were lost: its name did not resolve when the configuration was read'));
    }

    public function test_what_waits_is_sent_by_a_worker_that_leaves_and_lost_with_one_that_is_killed(): void
    {
        $client = $this->traced();
        // At once after the answer: nobody waits for the second that a batch waits.
        $client->get('/before-reload');
        [$old] = $this->workers();
        $this->reload();
        $this->collector->await('GET /before-reload');
        Clock::await(fn (): bool => !in_array($old, $this->workers(), true), 'the old worker has gone');

        // A request that a leaving worker still serves.
        $door = new Door();
        $asked = (new Http1($this->port))->get("/door?at={$door->path}");
        $victim = $door->process();
        $this->reload();
        Clock::await(fn (): bool => !in_array($victim, $this->workers(), true) || count($this->workers()) > 1, 'a new one');
        $door->open();
        self::assertSame('opened', $asked->read()?->body);
        self::assertSame($victim, $this->collector->span('GET /door')['resource']['process.pid']);

        [$victim] = array_values(array_diff($this->workers(), [$victim])) + [0];
        posix_kill($victim, SIGKILL);
        Clock::await(fn (): bool => !in_array($victim, $this->workers(), true) && $this->workers() !== [], 'another worker');
        self::assertSame('a', $client->get('/echo?text=a')->body);
        self::assertNotSame($victim, $this->collector->span('GET /echo')['resource']['process.pid']);

        $client->get('/before-stop');
        posix_kill($this->master(), SIGQUIT);
        self::assertTrue($this->ends());
        $this->collector->await('GET /before-stop');
        self::assertStringNotContainsString('open socket', $this->log());
    }

    /** A stop of the command is a graceful one. */
    public function test_the_command_asks_for_traces_and_its_stop_sends_what_waits(): void
    {
        $options = ["--trace={$this->collector->url}", '--trace-service=shop', '--stop-timeout=10'];
        $server = Server::serving(self::APP, ...self::options('worker'), ...$options);
        self::assertSame('a', $server->client->get('/echo?text=a')->body);
        $server->stop();
        self::assertSame('shop', $this->collector->span('GET /echo')['resource']['service.name']);
    }

    /** All spans arrive under load, in batches. */
    public function test_each_request_is_exported_once_under_load(): void
    {
        $client = $this->traced();
        $rounds = getenv('HOWDAH_LONG') === '1' ? 50 : 5;
        for ($round = 0; $round < $rounds; $round++) {
            $client->all(array_fill(0, 100, '/echo?text=a'), function (): void {
                $this->collector->spans();
            });
        }
        $this->awaitCount($client, 'exported', $rounds * 100);
        $spans = $this->collector->spans();
        self::assertCount($rounds * 100, array_unique(array_column($spans, 'spanId')));
        self::assertCount($rounds * 100, array_unique(array_column($spans, 'traceId')));
        self::assertLessThan($rounds * 100 / 10, count($this->collector->heads));
    }

    /** @return array<string, array{string, string}> */
    public static function wrong(): array
    {
        return [
            'https' => ['https://127.0.0.1:4318', 'let a collector on this machine pass spans on'],
            'no port' => ['http://127.0.0.1/v1/traces', 'it names no port: that of OTLP over HTTP is 4318'],
            'a query' => ['http://127.0.0.1:4318?a=b', 'behind the port it takes a path'],
            'a space' => ['"http://127.0.0.1:4318/a b"', 'behind the port it takes a path'],
            'two lines' => ["\"http://127.0.0.1:4318/a\r\nb: c\"", 'behind the port it takes a path'],
            'a fragment' => ['http://127.0.0.1:4318/a#b', 'behind the port it takes a path'],
            'too many decimals' => ['http://127.0.0.1:4318 sample=0.0000001', 'of six decimals at most'],
            'too many' => ['http://127.0.0.1:4318 sample=1.1', 'a number from 0 to 1 (0.1: each tenth trace)'],
            'off and more' => ['off sample=1', 'it takes "off", or the URL of a collector'],
        ];
    }

    #[DataProvider('wrong')]
    public function test_what_it_does_not_take_keeps_nginx_from_starting(string $words, string $message): void
    {
        $this->start('classic', "howdah_trace $words;");
        $this->ends();
        self::assertStringContainsString($message, $this->log());
    }
}
