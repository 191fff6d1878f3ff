<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** Filters that make subrequests (SSI) of what PHP writes, while PHP is on its coroutine; and PHP as subrequests. */
#[Group('flow')]
final class SubrequestTest extends PartsTestCase
{
    private const HTTP_2 = [CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE];

    /** Bytes that a slow client of HTTP/2 takes at a time. */
    private const WINDOW = 20_000;

    private const SIZES = [1, 1000, 8192, 32767, 32768, 32769, 65536, 110_000, 300_000];

    protected static function locations(string $pass, string $folder): string
    {
        $public = self::APP . '/public';

        return " location = /page { ssi on; $pass } location = /impatient { ssi on; send_timeout 1s; $pass }"
            . " location = /pressed { ssi on; gzip on; sub_filter 0000000 0000000; sub_filter_once off; $pass }"
            . " location = /added { add_before_body /before; add_after_body /after; $pass }"
            . " location /plain/ { alias $public/; }"
            . " listen unix:$folder/plain.sock; location /proxied/ { proxy_pass http://unix:$folder/plain.sock:/plain/; }"
            . ' location = /before { set $args spec=t100; ' . "$pass } location = /after { set \$args spec=t100000; $pass }"
            . ' location = /one { ssi on; default_type text/html;'
            . ' return 200 "first <!--#include virtual=\"/page?spec=t10,f,s90000\" -->"; }';
    }

    /** @return iterable<string, array{string, string}> */
    public static function pages(): iterable
    {
        $file = 'i/small.txt';
        $include = 'i/page?spec=';
        $specs = [
            'an include at the start' => "$file,t110000",
            'in the middle' => "t110000,$file,t110000",
            'at the end' => "t110000,$file",
            'a megabyte around it' => "t1048576,$file,t1048576",
            'of PHP' => "t1000,{$include}t200000,t300000",
            'of a proxied location' => 't40000,i/proxied/small.txt,t110000',
            'nested' => "t100,{$include}t70000;i/small.txt;s20;t70000,t200000",
            'many' => str_repeat("t2000,$file,{$include}t3000,i/proxied/small.txt,", 20) . 't40000',
            'flushed in between' => "t10,f,s20,$file,f,s20,t40000,f,{$include}s20;t10;f;s20,f,t1",
            'waited for' => "t10,w/page?spec=s30;t70000,t70000,w/small.txt,t1",
            'after the response was finished' => "t40000,{$include}t70000,t40000,e,s50",
            'slower than what follows it' => "{$include}s100;t70000,t500000,$file",
        ];
        foreach ($specs as $name => $spec) {
            foreach (['classic', 'worker'] as $mode) {
                yield "$name, $mode" => [$mode, $spec];
            }
        }
    }

    #[DataProvider('pages')]
    public function test_a_page_has_all_its_parts(string $mode, string $spec): void
    {
        $server = $this->server($mode);

        $this->assertPage($server, $spec);
    }

    /** With gzip and sub_filter above or below, over HTTP/1.1 and HTTP/2, to clients that read as they like. */
    #[DataProvider('modes')]
    public function test_pages_made_at_random_have_all_their_parts(string $mode): void
    {
        $server = $this->server($mode);
        mt_srand(1702);
        for ($i = 0; $i < 8; ++$i) {
            $this->assertPage($server, self::made(0));
        }
    }

    #[DataProvider('modes')]
    public function test_pages_before_and_after_it_are_added(string $mode): void
    {
        $response = $this->server($mode)->client->get('/added?spec=t70000,s10,t70000');

        $expected = self::text(100) . self::text(70_000) . self::text(70_000) . self::text(100_000);
        self::assertSame(sha1($expected), sha1($response->body));
    }

    /** main->blocked of nginx has 8 bits. */
    #[DataProvider('modes')]
    public function test_more_includes_than_fit_into_8_bits(string $mode): void
    {
        $server = $this->server($mode);
        $worker = self::worker($server);
        $spec = str_repeat('i/page?spec=s2000,', 300) . 'f,s5000';

        $client = new Http1($server->port);
        $client->get("/page?spec=$spec");
        usleep(300_000);
        fclose($client->socket);

        self::assertIdles($server);
        self::assertSame($worker, self::worker($server), $server->log());
    }

    /** nginx calls only the request whose turn it is. */
    #[DataProvider('modes')]
    public function test_all_of_a_page_hears_that_its_client_has_gone(string $mode): void
    {
        $server = $this->server($mode);
        foreach (['/one', '/page?spec=t10,i/page%3Fspec=s90000,f,s90000', '/page?spec=i/page%3Fspec=s100,f,s90000'] as $uri) {
            $client = new Http1($server->port);
            $client->get($uri);
            self::awaitBusy($server);
            fclose($client->socket);
            self::assertIdles($server);

            $client = new Http2($server->port2);
            $client->request($uri);
            self::awaitBusy($server);
            $client->reset(1);
            self::assertIdles($server);
        }
    }

    /** The time that a client has to read, a second, must not run out meanwhile. All that is sent fits into the kernel's buffers. */
    #[DataProvider('modes')]
    public function test_a_part_may_take_longer_than_a_client_may_not_read(string $mode): void
    {
        $server = $this->server($mode);
        $spec = 't40000,i/page?spec=s1300,t200000,s1300,t1';

        $page = $server->client->get('/impatient?spec=' . urlencode($spec));
        $page2 = (new Client("http://127.0.0.1:{$server->port2}"))->get('/impatient?spec=' . urlencode($spec), self::HTTP_2);

        self::assertSame(sha1($this->expected($spec)), sha1($page->body));
        self::assertSame(sha1($this->expected($spec)), sha1($page2->body), 'HTTP/2');
    }

    /** What PHP writes behind a slow part goes to a file. The client of the other one reads slowly. */
    #[DataProvider('modes')]
    public function test_a_part_of_any_size_takes_little_memory(string $mode): void
    {
        $server = $this->server($mode);
        $worker = self::worker($server);
        $bytes = 50_000_000;
        file_put_contents("/proc/$worker/clear_refs", '5');
        $before = self::kilobytes($worker, 'VmRSS');

        foreach (["i/page?spec=s500,t$bytes", "i/page?spec=s500,i/page?spec=t$bytes"] as $spec) {
            $page = $server->client->get('/page?spec=' . urlencode($spec), [CURLOPT_MAX_RECV_SPEED_LARGE => 60_000_000]);
            self::assertSame($bytes, strlen($page->body), $spec);
        }

        self::assertLessThan($before + 20_000, self::kilobytes($worker, 'VmHWM'));
    }

    #[DataProvider('modes')]
    public function test_messages_are_of_the_part_that_wrote_them(string $mode): void
    {
        $server = $this->server($mode);

        $spec = 'i/pressed?spec=s100;lfirst;s100,i/page?spec=s150;lsecond,f,s120,lmain';
        $server->client->get('/page?spec=' . urlencode($spec));

        $line = static function (string $word) use ($server): string {
            return preg_match("/^.*\\b$word\\b.*client:.*$/m", $server->log(), $line) === 1 ? $line[0] : '';
        };
        self::assertStringContainsString('subrequest: "/pressed"', $line('first'));
        self::assertStringContainsString('subrequest: "/page"', $line('second'));
        self::assertStringContainsString('main', $line('main'));
        self::assertStringNotContainsString('subrequest: ', $line('main'));
    }

    /** Somebody beside this question has a realm. */
    private static function awaitBusy(Nginx $server): void
    {
        $busy = static fn (): mixed => $server->client->get('/page?spec=b')->json()['busy'];
        Clock::await(static fn (): bool => $busy() > 1, 'PHP makes the page');
    }

    private function assertPage(Nginx $server, string $spec): void
    {
        $expected = $this->expected($spec);
        $slow = [CURLOPT_MAX_RECV_SPEED_LARGE => 5_000_000];
        $ways = ['HTTP/1.1' => [], 'slowly' => $slow, 'HTTP/2' => self::HTTP_2];
        $client2 = new Client("http://127.0.0.1:{$server->port2}");
        foreach ($ways as $way => $options) {
            $client = isset($options[CURLOPT_HTTP_VERSION]) ? $client2 : $server->client;
            $page = $client->get('/page?spec=' . urlencode($spec), $options)->body;
            self::assertSame([strlen($expected), sha1($expected)], [strlen($page), sha1($page)], "$way: $spec");
            $pressed = $client->get('/pressed?spec=' . urlencode($spec), $options + [CURLOPT_ENCODING => 'gzip'])->body;
            self::assertSame(sha1($expected), sha1($pressed), "$way, pressed: $spec");
        }
        $page = self::secondSlowly($server, '/page?spec=' . urlencode($spec));
        self::assertSame([strlen($expected), sha1($expected)], [strlen($page), sha1($page)], "HTTP/2, slowly: $spec");
        $pressed = self::secondSlowly($server, '/pressed?spec=' . urlencode($spec), ['accept-encoding' => 'gzip']);
        $page = $pressed === '' ? '' : (string) gzdecode($pressed);
        self::assertSame(sha1($expected), sha1($page), "HTTP/2, slowly, pressed: $spec");
    }

    /**
     * Over HTTP/2, through a window that is opened again when it is closed. (curl 7.88 with a limit of its speed does not
     * always hear that a stream has ended.)
     *
     * @param array<string, string> $headers
     */
    private static function secondSlowly(Nginx $server, string $uri, array $headers = []): string
    {
        $client = new Http2($server->port2, self::WINDOW);
        $client->grant(0, 1 << 30);
        $stream = $client->request($uri, headers: $headers);
        $granted = self::WINDOW;
        $client->until(static function (Http2 $client) use ($stream, &$granted): bool {
            if (strlen($client->bodies[$stream]) === $granted) {
                $granted += self::WINDOW;
                $client->grant($stream, self::WINDOW);
            }

            return isset($client->ended[$stream]);
        });
        self::assertTrue($client->ended[$stream] ?? false, "$uri: it is not whole");

        return $client->bodies[$stream];
    }

    /** A page at random. Its texts differ, so that none takes another's place unseen. */
    private static function made(int $depth): string
    {
        $steps = [];
        for ($i = mt_rand(1, 6); $i > 0; --$i) {
            $include = mt_rand(0, 4) === 0 ? 'w' : 'i';
            $steps[] = match (mt_rand(0, 7 - 2 * $depth)) {
                0, 1 => 't' . self::SIZES[mt_rand(0, count(self::SIZES) - 1)] . '-' . mt_rand(0, 32),
                2 => 'f',
                3 => 's' . mt_rand(0, 20),
                4 => "$include/small.txt",
                5 => "$include/proxied/small.txt",
                default => "$include/page?spec=" . str_replace(',', ';', self::made($depth + 1)),
            };
        }

        return implode(',', $steps);
    }

    /** What the page is, with all its parts. */
    private function expected(string $spec): string
    {
        $page = '';
        foreach (explode(',', $spec) as $step) {
            [$what, $value] = [$step[0] ?? '', substr($step, 1)];
            $page .= match (true) {
                $what === 't' => self::text(...array_map(intval(...), explode('-', $value))),
                !in_array($what, ['i', 'w'], true) => '',
                !str_contains($value, '?') => (string) file_get_contents(self::APP . '/public/' . basename($value)),
                default => $this->expected(str_replace(';', ',', explode('spec=', $value, 2)[1])),
            };
        }

        return $page;
    }

    private static function text(int $bytes, int $which = 0): string
    {
        $text = '';
        for ($at = 0; $at < $bytes; $at += 1000) {
            $text .= str_repeat(sprintf('%07d ', $which * 300_000 + $at), 125);
        }

        return substr($text, 0, $bytes);
    }

    private static function kilobytes(int $process, string $what): int
    {
        $status = (string) file_get_contents("/proc/$process/status");
        self::assertSame(1, sscanf(strstr($status, $what) ?: '', "$what: %d kB", $kilobytes), $status);

        return (int) $kilobytes;
    }
}
