<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** Responses that are large, slow or endless: whole, in flat memory, and nobody else waits for them. */
#[Group('flow')]
final class StreamTest extends FlowTestCase
{
    /** @return array<string, array{string, bool}> mode, whether over HTTP/2 */
    public static function ways(): array
    {
        return [
            'classic, HTTP/1.1' => ['classic', false],
            'classic, HTTP/2' => ['classic', true],
            'worker, HTTP/1.1' => ['worker', false],
            'worker, HTTP/2' => ['worker', true],
        ];
    }

    #[DataProvider('modes')]
    public function test_a_response_of_any_size_takes_no_memory(string $mode): void
    {
        $nginx = $this->serve($mode);
        $megabytes = self::megabytes(256, 5120);
        $before = self::forgetPeak($nginx);
        $received = 0;
        $response = $nginx->client->get("/output?megabytes=$megabytes", [
            CURLOPT_TIMEOUT => 300,
            CURLOPT_RETURNTRANSFER => false, // before the function: it sets another one
            CURLOPT_WRITEFUNCTION => static function ($curl, string $data) use (&$received): int {
                $received += strlen($data);

                return strlen($data);
            },
        ]);

        self::assertSame([200, $megabytes << 20], [$response->status, $received]);
        self::assertLessThan(5, self::peak($nginx) - $before);
    }

    /** Not by curl: version 7.88 overlooks the end of large answers once in a while, also of nginx with php-fpm. */
    #[DataProvider('modes')]
    public function test_so_does_one_over_http2(string $mode): void
    {
        $nginx = $this->serve($mode);
        $megabytes = self::megabytes(128, 5120);
        $before = self::forgetPeak($nginx);
        $client = new Http2($nginx->port2, 0x7fff0000);
        $client->grant(0, 0x7fff0000 - 65535);
        $stream = $client->request("/output?megabytes=$megabytes");
        $received = $granted = 0;
        $whole = $client->until(static function (Http2 $client) use ($stream, &$received, &$granted): bool {
            $received += strlen($client->bodies[$stream]);
            $client->bodies[$stream] = '';
            if ($received - $granted > 1 << 28) {
                $client->grant($stream, $received - $granted);
                $client->grant(0, $received - $granted);
                $granted = $received;
            }

            return isset($client->ended[$stream]);
        });

        self::assertSame([true, true, $megabytes << 20], [$whole, $client->ended[$stream], $received]);
        self::assertLessThan(5, self::peak($nginx) - $before);
    }

    /** Each has only room for what its windows and buffers hold; realms wait for their clients, others are answered. */
    #[DataProvider('modes')]
    public function test_clients_that_do_not_read_cost_what_their_buffers_hold(string $mode): void
    {
        // However long the test takes, nginx ends no stream for that.
        $nginx = $this->serve($mode, 'howdah_concurrency 80; sendfile_max_chunk 64k; send_timeout 1h;');
        $worker = $nginx->workers()[0];
        // More than buffers of the kernel hold.
        $first = self::megabytes(16, 24);
        $second = self::megabytes(6, 24);
        $readers = array_map(static fn (): Http1 => (new Http1($nginx->port))->get("/output?megabytes=$first"), range(1, 20));
        $seconds = [];
        for ($i = 0; $i < 5; ++$i) {
            $seconds[$i] = new Http2($nginx->port2, 20_000);
            foreach (range(1, 8) as $_) {
                $seconds[$i]->request("/output?megabytes=$second");
            }
        }
        self::eventually(static fn (): bool => self::busy($nginx) === 60, 'not all are busy');
        self::eventually(fn (): bool => $this->isStill($worker), 'the worker does not come to rest');

        self::assertSame((string) $worker, $nginx->client->get('/process')->body);
        // Each: its realm, the script's own megabyte, 64 KB that are busy, 32 KB gathered. Not all of it: 560 MB.
        self::assertLessThan(180, self::resident($nginx));

        $rest = str_repeat('x', (1 << 20) - 8);
        $whole = static fn (int $megabytes): string
            => implode('', array_map(static fn (int $i) => sprintf('%08d', $i) . $rest, range(0, $megabytes - 1)));
        $expected = $whole($first);
        foreach ($readers as $reader) {
            self::assertTrue($reader->read()?->body === $expected, 'not what PHP wrote');
        }
        $expected = $whole($second);
        foreach ($seconds as $client) {
            $client->grant(0, 1 << 30);
            foreach (array_keys($client->bodies) as $stream) {
                $client->grant($stream, 1 << 30);
            }
            $client->until(static fn (Http2 $client): bool => count($client->ended) === 8);
            self::assertEquals(array_fill_keys(array_keys($client->bodies), true), $client->ended);
            foreach ($client->bodies as $body) {
                self::assertTrue($body === $expected, 'not what PHP wrote');
            }
            $client->bodies = [];
        }
        self::assertUnharmed($nginx, $worker);
    }

    #[DataProvider('modes')]
    public function test_a_stream_that_is_stopped_does_not_stop_its_connection(string $mode): void
    {
        $nginx = $this->serve($mode, 'howdah_concurrency 40;');
        $worker = $nginx->workers()[0];
        $client = new Http2($nginx->port2, 1000);
        $client->grant(0, 1 << 30);
        $stopped = $client->request('/output?megabytes=1');
        $client->until(static fn (Http2 $client): bool => strlen($client->bodies[$stopped]) === 1000);

        $gate = "$this->folder/gate";
        $slow = $client->request('/events?events=2&gate=' . urlencode($gate));
        $client->until(static fn (Http2 $client): bool => $client->bodies[$slow] !== '');
        $quick = array_map(static fn () => $client->request('/process'), range(1, 30));
        $client->until(static fn (Http2 $client): bool => array_diff($quick, array_keys($client->ended)) === []);
        self::assertArrayNotHasKey($slow, $client->ended);
        self::assertSame(array_fill(0, 30, (string) $worker), array_map(static fn (int $one) => $client->bodies[$one], $quick));

        file_put_contents($gate, '1');
        $client->until(static fn (Http2 $client): bool => isset($client->ended[$slow]));
        self::assertSame(1000, strlen($client->bodies[$stopped]));
        $client->reset($stopped);
        self::eventually(static fn (): bool => self::busy($nginx) === 0, 'the reset did not end the request');
        self::assertUnharmed($nginx, $worker);
    }

    #[DataProvider('ways')]
    public function test_an_event_is_sent_at_once(string $mode, bool $http2): void
    {
        $nginx = $this->serve($mode);
        $gate = "$this->folder/gate";
        $seen = '';
        self::client($nginx, $http2)->get('/events?events=4&gate=' . urlencode($gate), self::version($http2) + [
            CURLOPT_RETURNTRANSFER => false,
            CURLOPT_WRITEFUNCTION => static function ($curl, string $data) use (&$seen, $gate): int {
                // Only what has come lets the next one be made.
                $seen .= $data;
                file_put_contents($gate, (string) substr_count($seen, "\n\n"));

                return strlen($data);
            },
        ]);

        $events = array_map(static fn (int $i): string => "id: $i\ndata: event $i\n\n", range(0, 3));
        self::assertSame(implode('', $events), $seen);
    }

    #[DataProvider('modes')]
    public function test_a_thousand_event_streams_in_one_worker(string $mode): void
    {
        $nginx = $this->serve($mode, 'howdah_concurrency 1010; howdah_idle_timeout 1s; howdah_client_abort cancel;');
        $worker = $nginx->workers()[0];
        $before = self::resident($nginx);
        $gate = "$this->folder/gate";
        file_put_contents($gate, '0');
        $uri = '/events?events=3&gate=' . urlencode($gate);
        $streams = array_map(static fn (): Http1 => (new Http1($nginx->port))->get($uri), range(1, 1000));
        $first = self::nextOf($streams);
        self::assertSame(["id: 0\ndata: event 0\n\n" => 1000], $first);
        $each = (self::resident($nginx) - $before) / 1000;
        self::assertSame((string) $worker, $nginx->client->get('/process')->body);

        file_put_contents($gate, '1');
        self::assertSame(["id: 1\ndata: event 1\n\n" => 1000], self::nextOf($streams));
        // Half of them leave: their realms end.
        $streams = array_slice($streams, 0, 500);
        self::eventually(static fn (): bool => self::busy($nginx) === 500, 'those who left are served still');
        file_put_contents($gate, '2');
        self::assertSame(["id: 2\ndata: event 2\n\n" => 500], self::nextOf($streams));
        self::assertSame(['' => 500], self::nextOf($streams));

        self::assertLessThan(0.6, $each, 'megabytes of a stream');
        self::assertUnharmed($nginx, $worker);
        self::eventually(static fn (): bool => self::resident($nginx) < $before + 100, 'memory is not given back');
    }

    /** The next answer on the same connection tells whether there was more than there should be. */
    #[DataProvider('modes')]
    public function test_output_where_there_must_be_none_is_dropped(string $mode): void
    {
        $nginx = $this->serve($mode);
        $connection = new Http1($nginx->port);
        foreach ([1, 4999, 100_000] as $bytes) {
            foreach ([204, 304] as $status) {
                $answer = $connection->get("/late?status=$status&bytes=$bytes")->read();
                self::assertSame([$status, null], [$answer?->status, $answer?->header('Content-Length')]);
                self::assertNull($answer?->header('Transfer-Encoding'));
            }
            $connection->send("HEAD /late?status=200&bytes=$bytes HTTP/1.1\r\nHost: localhost\r\n\r\n");
            self::assertSame(200, $connection->read(true)?->status);
            self::assertSame($bytes, strlen($connection->get("/late?status=200&bytes=$bytes")->read()->body ?? ''));
        }

        $second = new Http2($nginx->port2);
        foreach (['GET 204' => 204, 'GET 304' => 304, 'HEAD 200' => 200] as $what => $status) {
            $stream = $second->request("/late?status=$status&bytes=10000", explode(' ', $what)[0]);
            $second->until(static fn (Http2 $second): bool => isset($second->ended[$stream]));
            $got = [$second->ended[$stream], $second->statuses[$stream], $second->bodies[$stream]];
            self::assertSame([true, $status, ''], $got, $what);
        }
    }

    /**
     * @param list<Http1> $streams
     *
     * @return array<string, int> how many got what
     */
    private static function nextOf(array $streams): array
    {
        $got = [];
        foreach ($streams as $stream) {
            $stream->isFresh && self::assertSame(200, $stream->head()[0] ?? null);
            $chunk = $stream->chunk();
            self::assertNotNull($chunk, 'a stream was lost');
            $got[$chunk] = ($got[$chunk] ?? 0) + 1;
        }

        return $got;
    }

    /** Whether it has used no processor time for a while, and does not want any. */
    private function isStill(int $worker): bool
    {
        $before = Server::processorSeconds($worker);
        for ($looks = 0; $looks < 10; ++$looks) {
            usleep(20_000);
            if (preg_match('/\) S /', (string) file_get_contents("/proc/$worker/stat")) !== 1) {
                return false;
            }
        }

        return Server::processorSeconds($worker) === $before;
    }

    private static function client(Nginx $nginx, bool $http2): Client
    {
        return $http2 ? new Client("http://127.0.0.1:{$nginx->port2}") : $nginx->client;
    }

    /** @return array<int, int> */
    private static function version(bool $http2): array
    {
        return $http2 ? [CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE] : [];
    }
}
