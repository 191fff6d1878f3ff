<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/**
 * howdah_trace: what the spans of a request say, which trace they belong to, and what the application is told.
 *
 * @phpstan-import-type Span from Otlp
 */
#[Group('realms')]
final class TraceTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/pool';

    private const TRACE = '0af7651916cd43dd8448eb211c80319c';

    private const PARENT = 'b7ad6b7169203331';

    private const SERVER = 2;

    private const CLIENT = 3;

    private const INTERNAL = 1;

    private const FIGURES = ' location = /figures { howdah_status; }';

    /** Of all tests: servers are shared. */
    private static ?Collector $collector = null;

    public static function tearDownAfterClass(): void
    {
        parent::tearDownAfterClass();
        self::$collector = null;
    }

    private static function collector(): Collector
    {
        return self::$collector ??= new Collector();
    }

    /** Locations that say otherwise than their server. */
    private function traced(string $mode = 'worker'): Client
    {
        $url = self::collector()->url;
        $pass = 'howdah_pass worker ' . self::APP . '/worker.php;';
        $client = $this->share($mode, "howdah_trace $url \"service=a \\\"shop\\\"\"; server_name shop.example;"
            . " location = /never { howdah_trace $url sample=0; $pass }"
            . " location = /half { howdah_trace $url sample=0.5 service=half; $pass }"
            . " location = /distrusts { howdah_trace $url parent=off; $pass }"
            . " location = /untraced { howdah_trace off; $pass }" . self::FIGURES);

        return $client;
    }

    /** Where the tests before have had all of their spans. */
    private function fresh(string $mode): Client
    {
        $client = $this->traced($mode);
        self::collector()->forget();

        return $client;
    }

    /** When the spans of tests before have come. */
    private function settled(): Client
    {
        $client = $this->traced();
        $last = '/last-' . bin2hex(random_bytes(6));
        $client->get($last);
        self::collector()->await("GET $last");
        self::collector()->forget();

        return $client;
    }

    /**
     * @return array{HTTP_TRACEPARENT?: string, HTTP_TRACESTATE?: string} what the application finds
     */
    private static function found(Client $client, string $uri, string ...$headers): array
    {
        $answer = $client->get($uri, [CURLOPT_HTTPHEADER => $headers]);
        $found = json_decode($answer->body, true);
        self::assertIsArray($found, "$answer->status $answer->body");

        /** @var array{HTTP_TRACEPARENT?: string, HTTP_TRACESTATE?: string} */
        return $found;
    }

    #[DataProvider('modes')]
    public function test_a_request_is_a_span_with_all_that_is_known_of_it(string $mode): void
    {
        $client = $this->fresh($mode);
        $before = time();
        $headers = ['traceparent: 00-' . self::TRACE . '-' . self::PARENT . '-01', 'tracestate: a=1', 'tracestate: b=2',
            "User-Agent: \"me\"\\\x80\u{e9}", 'Host: Shop.Example:8443'];
        $options = [CURLOPT_CUSTOMREQUEST => 'POST', CURLOPT_HTTPHEADER => $headers];
        self::assertSame(503, $client->get('/code?n=503&secret=1', $options)->status);
        $path = '/a/../%41"';
        $client->get("$path?n=1", [CURLOPT_CUSTOMREQUEST => 'BREW', CURLOPT_USERAGENT => '', CURLOPT_PATH_AS_IS => true]);
        $spans = self::collector()->await("HTTP $path");
        self::assertCount(2, $spans);
        [$failed, $odd] = $spans;
        self::assertStringStartsWith(
            "POST /v1/traces HTTP/1.1\r\nHost: " . substr(self::collector()->url, 7) . "\r\n",
            self::collector()->heads[0] ?? '',
        );

        self::assertSame(self::TRACE, $failed['traceId']);
        self::assertSame(self::PARENT, $failed['parentSpanId'] ?? '');
        self::assertSame('a=1,b=2', $failed['traceState'] ?? '');
        self::assertSame(0x301, $failed['flags']);
        self::assertSame(['POST /code', self::SERVER, true], [$failed['name'], $failed['kind'], $failed['error']]);
        self::assertSame(
            ['http.request.method' => 'POST', 'url.path' => '/code', 'url.scheme' => 'http',
            'server.address' => 'shop.example', 'server.port' => 8443, 'client.address' => '127.0.0.1',
            'user_agent.original' => "\"me\"\\\u{fffd}\u{e9}", 'http.response.status_code' => 503, 'error.type' => '503'],
            $failed['attributes']
        );
        $worker = $this->workers()[0];
        self::assertSame(
            ['service.name' => 'a "shop"', 'host.name' => gethostname(), 'process.pid' => $worker],
            $failed['resource']
        );

        self::assertArrayNotHasKey('parentSpanId', $odd);
        self::assertArrayNotHasKey('traceState', $odd);
        self::assertSame([0x101, false], [$odd['flags'], $odd['error']]);
        self::assertSame(['http.request.method' => '_OTHER', 'http.request.method_original' => 'BREW', 'url.path' => $path,
            'url.scheme' => 'http', 'server.address' => '127.0.0.1', 'server.port' => $this->port,
            'client.address' => '127.0.0.1', 'http.response.status_code' => 200], $odd['attributes']);
        self::assertNotSame($odd['spanId'], $failed['spanId']);
        foreach ([$failed, $odd] as $span) {
            self::assertGreaterThanOrEqual($before, intdiv((int) $span['startTimeUnixNano'], 1_000_000_000));
            self::assertLessThanOrEqual(time(), intdiv((int) $span['endTimeUnixNano'], 1_000_000_000));
        }
    }

    /** @return array<string, array{string}> that are as if they were not there */
    public static function invalid(): array
    {
        [$trace, $parent] = [self::TRACE, self::PARENT];

        return [
            'short' => ["00-$trace-$parent-0"],
            'long' => ["00-$trace-$parent-01-"],
            'more in version 00' => ["00-$trace-$parent-01-what"],
            'version ff' => ["ff-$trace-$parent-01"],
            'no version' => ["zz-$trace-$parent-01"],
            'capitals' => ['00-' . strtoupper($trace) . "-$parent-01"],
            'no trace' => ['00-' . str_repeat('0', 32) . "-$parent-01"],
            'no parent' => ["00-$trace-" . str_repeat('0', 16) . '-01'],
            'no number' => ["00-{$trace}-b7ad6b716920333g-01"],
            'flags' => ["00-$trace-$parent-0x"],
            'dashes' => ["00_{$trace}_{$parent}_01"],
            'a later version that goes on' => ["01-$trace-$parent-01.more"],
            'two' => ["00-$trace-$parent-01\r\ntraceparent: 00-$trace-$parent-01"],
        ];
    }

    #[DataProvider('invalid')]
    public function test_a_traceparent_that_is_not_valid_begins_no_trace(string $header): void
    {
        $client = $this->traced();
        $connection = new Http1($this->port);
        $answer = $connection->get('/server', "traceparent: $header\r\ntracestate: a=1\r\n")->read();
        /** @var array{HTTP_TRACEPARENT?: string, HTTP_TRACESTATE?: string} $found */
        $found = json_decode((string) $answer?->body, true);
        self::assertSame(['HTTP_TRACEPARENT'], array_keys($found));
        self::assertMatchesRegularExpression('/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/D', $found['HTTP_TRACEPARENT'] ?? '');
        self::assertStringNotContainsString(self::TRACE, $found['HTTP_TRACEPARENT'] ?? '');
        self::assertSame([], self::found($client, '/untraced'));
    }

    #[Group('other')]
    public function test_the_application_finds_its_span_as_parent(): void
    {
        $client = $this->settled();
        $sampled = 'traceparent: 00-' . self::TRACE . '-' . self::PARENT;
        $found = self::found($client, '/server', "$sampled-01", 'tracestate: a=1');
        self::assertSame('a=1', $found['HTTP_TRACESTATE'] ?? '');
        $span = self::collector()->span('GET /server');
        self::assertSame("00-{$span['traceId']}-{$span['spanId']}-01", $found['HTTP_TRACEPARENT'] ?? '');

        // Who calls says whether it is sampled; other flags than those that are known are not passed on.
        self::collector()->forget();
        $of = static fn (string $uri, string ...$headers): string
            => preg_replace('/-[0-9a-f]{16}-/', '-', self::found($client, $uri, ...$headers)['HTTP_TRACEPARENT'] ?? '') ?? '';
        self::assertSame('00-' . self::TRACE . '-00', $of('/server', "$sampled-00"));
        self::assertSame('00-' . self::TRACE . '-02', $of('/server', "$sampled-fe"));
        self::assertSame('00-' . self::TRACE . '-03', $of('/server', "$sampled-ff"));
        $later = 'TraceParent: cc-' . self::TRACE . '-' . self::PARENT . '-09-more';
        self::assertSame('00-' . self::TRACE . '-01', $of('/server', $later));
        self::assertSame('00-' . self::TRACE . '-01', $of('/never', "$sampled-01"));
        self::assertMatchesRegularExpression('/^00-[0-9a-f]{32}-00$/D', $of('/never'));
        self::assertStringNotContainsString(self::TRACE, $of('/distrusts', "$sampled-00"));
        self::assertSame(
            ['HTTP_TRACEPARENT' => 'any', 'HTTP_TRACESTATE' => 'a=1'],
            self::found($client, '/untraced', 'traceparent: any', 'tracestate: a=1')
        );
        $client->get('/code');
        self::collector()->await('GET /distrusts');
        self::collector()->await('GET /code');
        $spans = self::collector()->await('GET /never');
        $names = array_column($spans, 'name');
        sort($names);
        self::assertSame(['GET /code', 'GET /distrusts', 'GET /never', 'GET /server', 'GET /server'], $names);
        $spans = array_column($spans, null, 'name');
        self::assertSame('unknown_service:howdah', $spans['GET /never']['resource']['service.name']);
        self::assertArrayNotHasKey('parentSpanId', $spans['GET /distrusts']);
    }

    /** How many of 200 fair coins show heads is from 50 to 150, but once in 10^12 times. */
    public function test_of_the_traces_that_begin_here_a_part_is_sampled(): void
    {
        $client = $this->traced();
        $flags = [];
        foreach ($client->all(array_fill(0, 200, '/half')) as $answer) {
            preg_match('/-(0[01])"/', $answer->body, $found);
            $flags[] = $found[1] ?? '';
        }
        $counts = array_count_values($flags);
        self::assertSame(200, ($counts['00'] ?? 0) + ($counts['01'] ?? 0));
        self::assertGreaterThan(50, $counts['00'] ?? 0);
        self::assertGreaterThan(50, $counts['01'] ?? 0);
        $halves = fn (): int => count(array_keys(array_column(self::collector()->spans(), 'name'), 'GET /half', true));
        Clock::await(fn (): bool => $halves() >= ($counts['01'] ?? 0), fn (): string => "{$halves()} of {$counts['01']} spans");
        self::assertSame($counts['01'] ?? 0, $halves());
    }

    /** Until so many wait, of all pools, and for longer than is told of after that: nginx may hear of a request late. */
    private static function awaitLongWait(Client $client, string $gauge, int $count): void
    {
        $has = static function () use ($client, $gauge): int {
            preg_match_all("/^$gauge (\d+)$/m", $client->get('/figures')->body, $found);

            return array_sum(array_map(intval(...), $found[1]));
        };
        Clock::await(static fn (): bool => $has() === $count, static fn (): string => "$count wait, not {$has()}");
        $clock = Clock::start();
        Clock::await(static fn (): bool => $clock->seconds() > 0.01, 'it waits for longer than is told of');
    }

    #[DataProvider('modes')]
    #[Group('other')]
    public function test_longer_waits_are_spans_below_it(string $mode): void
    {
        $client = $this->fresh($mode);
        $door = new Door();
        $file = "{$this->folder}/a lock";
        $query = "at={$door->path}&file=" . rawurlencode($file);
        $has = (new Http1($this->port))->get("/lock?$query");
        $door->await();
        $waits = (new Http1($this->port))->get("/lock?$query");
        self::awaitLongWait($client, 'howdah_realms\{.*state="waiting"\}', 2);
        $door->open();
        self::assertSame('openedopened', $has->read()?->body . $waits->read()?->body);

        $server = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($server);
        $peer = (string) stream_socket_get_name($server, false);
        $asks = (new Http1($this->port))->get('/ask?n=1&peer=' . rawurlencode("tcp://$peer"));
        $socket = stream_socket_accept($server, Clock::PATIENCE);
        self::assertIsResource($socket);
        fread($socket, 100);
        self::awaitLongWait($client, 'howdah_realms\{.*state="waiting"\}', 1);
        fwrite($socket, 'answer');
        self::assertSame('answer', $asks->read()?->body);
        $client->get('/wait?n=5');

        $at = ['code.file.path' => dirname(self::APP) . '/pool/actions.php'];
        $slept = self::collector()->children(self::collector()->span('GET /wait'));
        self::assertSame(
            ['howdah.wait.for' => 'sleep', 'code.function.name' => 'usleep'] + $at,
            array_diff_key($slept['sleep']['attributes'], ['code.line.number' => 0])
        );
        $nap = $slept['sleep'];
        self::assertSame([self::INTERNAL, 0x101, false], [$nap['kind'], $nap['flags'], $nap['error']]);
        $nanoseconds = (int) $nap['endTimeUnixNano'] - (int) $nap['startTimeUnixNano'];
        Clock::assertAtLeast(0.005, $nanoseconds / 1e9, 'a sleep');

        $asked = self::collector()->span('GET /ask');
        $answered = self::collector()->children($asked)[$peer];
        [$host, $port] = explode(':', $peer);
        self::assertSame(
            ['howdah.wait.for' => 'descriptor', 'server.address' => $host, 'server.port' => (int) $port,
            'network.peer.address' => $host, 'network.peer.port' => (int) $port, 'code.function.name' => 'fread'] + $at,
            array_diff_key($answered['attributes'], ['code.line.number' => 0])
        );
        self::assertSame([self::CLIENT, $asked['traceId']], [$answered['kind'], $answered['traceId']]);
        self::assertGreaterThanOrEqual($asked['startTimeUnixNano'], $answered['startTimeUnixNano']);
        self::assertLessThanOrEqual($asked['endTimeUnixNano'], $answered['endTimeUnixNano']);

        // Of the lock it had to wait for, once, however often it was asked for; one of them waited at the door.
        $all = self::collector()->spans();
        $locked = array_filter($all, static fn (array $span): bool => $span['name'] === 'lock');
        self::assertCount(1, $locked);
        $locked = array_values($locked)[0];
        self::assertSame(['lock', realpath($file), 'flock'], [$locked['attributes']['howdah.wait.for'],
            $locked['attributes']['howdah.wait.subject'], $locked['attributes']['code.function.name']]);
        $atDoor = array_filter($all, static fn (array $span): bool => $span['name'] === "unix:{$door->path}");
        self::assertCount(1, $atDoor);
        $atDoor = array_values($atDoor)[0];
        self::assertSame([self::CLIENT, $door->path, 'unix'], [$atDoor['kind'],
            $atDoor['attributes']['server.address'], $atDoor['attributes']['network.transport']]);
    }

    /** However often it is told of, as what the engine asks for again and again. */
    public function test_a_wait_that_is_left_out_is_counted_once(): void
    {
        $client = $this->settled();
        $file = "{$this->folder}/pipe";
        posix_mkfifo($file, 0600);
        $opens = (new Http1($this->port))->get('/late-open?n=32&file=' . rawurlencode($file));
        Clock::await(static fn (): bool => is_file("$file is next"), 'the pipe is next');
        self::awaitLongWait($client, 'howdah_realms\{.*state="waiting"\}', 1);
        $other = fopen($file, 'rn');
        self::assertSame('opened', $opens->read()?->body);
        self::assertIsResource($other);
        self::assertSame(1, self::collector()->span('GET /late-open')['attributes']['howdah.waits_left_out'] ?? 0);
    }

    /** Of more than 32 the longest; and the wait for a realm is one. */
    public function test_of_many_waits_the_longest_are_told_and_so_is_the_queue(): void
    {
        $url = self::collector()->url;
        self::collector()->forget();
        $client = $this->serve('worker', "howdah_trace $url; howdah_concurrency 1;" . self::FIGURES);
        $client->get('/naps?n=40');
        $span = self::collector()->span('GET /naps');
        $naps = array_filter(self::collector()->spans(), static fn (array $each): bool => $each['name'] === 'sleep');
        self::assertCount(32, $naps);
        self::assertSame(8, $span['attributes']['howdah.waits_left_out']);
        $lengths = array_map(
            static fn (array $each): int => (int) $each['endTimeUnixNano'] - (int) $each['startTimeUnixNano'],
            $naps,
        );
        Clock::assertAtLeast(0.03, max([0, ...$lengths]) / 1e9, 'the longest is the last one');

        $door = new Door();
        $first = (new Http1($this->port))->get("/door?at={$door->path}");
        $door->await();
        $second = (new Http1($this->port))->get('/echo?text=a');
        self::awaitLongWait($client, 'howdah_queue_length\{.*\}', 1);
        $door->open();
        self::assertSame('openeda', $first->read()?->body . $second->read()?->body);
        $queued = self::collector()->children(self::collector()->span('GET /echo'));
        self::assertSame(['queue'], array_keys($queued));
        self::assertSame(['howdah.wait.for' => 'realm'], $queued['queue']['attributes']);
    }
}
