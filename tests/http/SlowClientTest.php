<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** Clients that are slow, stop in the middle, ask for too much, or are very many: they cost a connection of nginx, and no realm. */
#[Group('flow')]
final class SlowClientTest extends FlowTestCase
{
    private const MANY = 10_000;

    /** However long the test takes, nobody is closed for that. */
    private const PATIENT = 'keepalive_timeout 1h; client_header_timeout 1h;';

    /** @return array<string, array{string}> what a client has sent when it stops */
    public static function beginnings(): array
    {
        $body = "POST /input HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/x\r\n";

        return [
            'nothing' => [''],
            'half a line' => ['GET /proc'],
            'half a head' => ["GET /process HTTP/1.1\r\nHost: localhost\r\nX-Half"],
            'no body' => ["{$body}Content-Length: 100000\r\n\r\n"],
            'half a body' => ["{$body}Content-Length: 100000\r\n\r\n" . str_repeat('x', 50_000)],
            'half a chunk' => ["{$body}Transfer-Encoding: chunked\r\n\r\nffff\r\n" . str_repeat('x', 20_000)],
            'half of HTTP/2' => ["PRI * HTTP/2.0\r\n\r\nSM"],
        ];
    }

    #[DataProvider('beginnings')]
    public function test_who_stops_in_the_middle_costs_no_realm_and_is_closed(string $beginning): void
    {
        // Of the same pool. Others have all the time that they may need.
        $port = Server::freePort();
        $impatient = "server { listen 127.0.0.1:$port; client_header_timeout 1s; client_body_timeout 1s; root "
            . self::APP . '/public; location / { howdah_pass classic $document_root/index.php; } }';
        $nginx = $this->serve('classic', http: "howdah_concurrency 1; $impatient");
        $worker = $nginx->workers()[0];
        $before = self::resident($nginx);
        $clients = array_map(static fn (): Http1 => new Http1($port), range(1, 300));
        foreach ($clients as $client) {
            $client->send($beginning);
        }
        for ($i = 0; $i < 20; ++$i) {
            self::assertSame((string) $worker, $nginx->client->get('/process')->body);
        }
        self::assertLessThan(40, self::resident($nginx) - $before);
        foreach ($clients as $client) {
            self::assertTrue($client->isClosed(), 'waits for ever');
        }

        self::assertUnharmed($nginx, $worker);
    }

    /** nginx keeps what comes byte by byte until it is whole; then PHP has all of it. */
    #[DataProvider('modes')]
    public function test_a_body_that_comes_slowly_occupies_no_realm_and_arrives_whole(string $mode): void
    {
        $nginx = $this->serve($mode, 'howdah_concurrency 1;');
        $client = new Http1($nginx->port);
        $client->send("POST /input HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/x\r\nContent-Length: 30\r\n\r\n");
        for ($i = 0; $i < 30; ++$i) {
            $client->send(chr(ord('a') + $i % 26));
            self::assertSame(200, $nginx->client->get('/process')->status);
        }

        self::assertSame('30 ' . hash('crc32b', 'abcdefghijklmnopqrstuvwxyzabcd'), $client->read()?->body);
    }

    #[DataProvider('modes')]
    public function test_a_body_that_ends_too_early_is_never_php_s(string $mode): void
    {
        $nginx = $this->serve($mode);
        $worker = $nginx->workers()[0];
        $served = $nginx->client->get('/status')->json()['requests'];
        self::assertIsInt($served);
        for ($i = 0; $i < 100; ++$i) {
            $client = new Http1($nginx->port);
            $client->send("POST /input HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000\r\n\r\n" . str_repeat('x', 9999));
            stream_socket_shutdown($client->socket, STREAM_SHUT_WR);
            self::assertTrue($client->isClosed());
        }

        self::assertSame($served + 1, $nginx->client->get('/status')->json()['requests']);
        self::assertUnharmed($nginx, $worker);
    }

    #[DataProvider('modes')]
    public function test_who_does_not_read_is_closed_and_its_realm_free_again(string $mode): void
    {
        $nginx = $this->serve($mode, 'send_timeout 1s; howdah_concurrency 20;');
        $worker = $nginx->workers()[0];
        $clients = array_map(static fn () => (new Http1($nginx->port))->get('/output?megabytes=50'), range(1, 10));
        $seconds = array_map(static fn () => new Http2($nginx->port2, 1000), range(1, 5));
        foreach ($seconds as $second) {
            $second->request('/output?megabytes=50');
        }

        self::assertUnharmed($nginx, $worker);
        foreach ($clients as $client) {
            self::assertNull($client->read(), 'half an answer must not look whole');
        }
        foreach ($seconds as $second) {
            self::assertTrue($second->until(static fn (Http2 $second): bool => isset($second->ended[1]) || $second->closed));
            self::assertFalse($second->ended[1] ?? false, 'half an answer must not look whole');
        }
    }

    /** As large as nginx lets them be, then larger: that is nginx's to refuse. */
    #[DataProvider('modes')]
    public function test_heads_as_large_as_they_may_be_keep_memory_flat(string $mode): void
    {
        $nginx = $this->serve($mode);
        $worker = $nginx->workers()[0];
        $line = str_repeat('l', 8000);
        $head = "X-One: $line\r\nCookie: a=$line\r\nX-Two: $line\r\n";
        $many = implode('', array_map(static fn (int $i) => "X-Header-$i: value $i\r\n", range(1, 500)));
        $connection = new Http1($nginx->port);
        $ask = static function (int $times) use ($connection, $line, $head, $many): void {
            for ($i = 0; $i < $times; ++$i) {
                self::assertSame(200, $connection->get("/process?$line", $head)->read()?->status);
                self::assertSame(200, $connection->get('/process', $many)->read()?->status);
            }
        };
        $ask(50);
        $before = self::resident($nginx);
        $ask(400);
        self::assertLessThan(5, self::resident($nginx) - $before);

        $large = new Http1($nginx->port);
        self::assertSame(414, $large->get("/process?$line$line")->read()?->status);
        $large = new Http1($nginx->port);
        self::assertSame(400, $large->get('/process', "X-One: $line$line\r\n")->read()?->status);
        self::assertUnharmed($nginx, $worker);
    }

    /** Behind php-fpm such answers are a 502: they must fit into one buffer. */
    #[DataProvider('modes')]
    public function test_answers_may_have_many_and_large_headers(string $mode): void
    {
        $nginx = $this->serve($mode);
        foreach (['count=3000&bytes=100', 'count=1&bytes=1000000', 'count=10&bytes=100000'] as $query) {
            $answer = (new Http1($nginx->port))->get("/headers?$query")->read();
            parse_str($query, $asked);
            self::assertNotNull($answer);
            self::assertSame('after the headers', $answer->body);
            $many = array_filter(array_keys($answer->headers), static fn (string $name) => str_starts_with($name, 'x-many-'));
            self::assertCount((int) $asked['count'], $many);
            self::assertSame((int) $asked['bytes'], strlen((string) $answer->header('X-Many-0')));

            $second = new Http2($nginx->port2);
            $stream = $second->request("/headers?$query");
            self::assertTrue($second->until(static fn (Http2 $second): bool => isset($second->ended[$stream])));
            self::assertSame([200, 'after the headers'], [$second->statuses[$stream], $second->bodies[$stream]]);
        }
    }

    /** nginx keeps a sixteenth of its connections free. */
    public function test_ten_thousand_idle_connections_cost_little_and_are_served_again(): void
    {
        self::raiseLimit();
        $nginx = $this->serve('classic', self::PATIENT, self::MANY + 1500);
        $worker = $nginx->workers()[0];
        $before = self::resident($nginx);
        $clients = [];
        for ($i = 0; $i < self::MANY; ++$i) {
            $clients[] = $client = new Http1($nginx->port);
            // A half have been served; the others have said nothing yet.
            if ($i % 2 === 0) {
                self::assertSame((string) $worker, $client->get('/process')->read()?->body);
            }
        }
        self::assertSame((string) $worker, $nginx->client->get('/process')->body);
        self::assertLessThan(60, self::resident($nginx) - $before);
        for ($i = 0; $i < self::MANY; $i += 7) {
            self::assertSame((string) $worker, $clients[$i]->get('/process')->read()?->body);
        }
        unset($clients, $client);

        self::assertUnharmed($nginx, $worker);
    }

    /** With fewer connections than clients nginx closes those that have been idle for longest; nobody is refused. */
    public function test_more_clients_than_connections_are_all_served(): void
    {
        self::raiseLimit();
        $nginx = $this->serve('worker', self::PATIENT, 512);
        $worker = $nginx->workers()[0];
        $clients = [];
        for ($i = 0; $i < 1500; ++$i) {
            $clients[] = $client = new Http1($nginx->port);
            self::assertSame((string) $worker, $client->get('/process')->read()?->body, "client $i");
        }

        unset($clients, $client);
        self::assertUnharmed($nginx, $worker);
    }

    private static function raiseLimit(): void
    {
        self::assertTrue(posix_setrlimit(POSIX_RLIMIT_NOFILE, 20_000, 20_000), 'needs 20,000 descriptors');
    }
}
