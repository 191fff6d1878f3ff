<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/**
 * Filters that refuse what PHP answers, with ngx_http_filter_finalize_request(): one of our own at any byte (refusing/), and
 * image_filter. Then nginx answers, or error_page's location, and r->ctx is cleared while PHP goes on.
 */
#[Group('flow')]
final class RefusalTest extends PartsTestCase
{
    private const WHEN = [
        'head', 'held 1', 'held 3000', 'held 40000', 'held 70000', 'sent 1', 'sent 3000', 'sent 40000', 'sent 70000',
    ];

    private const PAGES = [
        'none' => '',
        'file' => 'error_page 415 /small.txt;',
        'php' => 'error_page 415 /error;',
        'slow' => 'error_page 415 /slow;',
        'proxied' => 'error_page 415 /proxied/small.txt;',
        'named' => 'error_page 415 = @named;',
        'elsewhere' => 'error_page 415 http://other/;',
    ];

    protected static function locations(string $pass, string $folder): string
    {
        $locations = '';
        foreach (self::WHEN as $when) {
            foreach (self::PAGES as $name => $page) {
                $locations .= ' location = ' . self::uri($when, $name) . " { refuse 415 $when; $page $pass }";
            }
        }
        $public = self::APP . '/public';

        return "$locations location = /page { $pass } location /plain/ { alias $public/; }"
            . " location = /error { set \$args spec=t200; $pass } location = /slow { set \$args spec=s150,t200; $pass }"
            . " listen unix:$folder/plain.sock; location /proxied/ { proxy_pass http://unix:$folder/plain.sock:/plain/; }"
            . ' location @named { return 200 "named"; }'
            . " location = /picture { image_filter test; error_page 415 /error; $pass }"
            . " location = /resized { image_filter resize 5 5; $pass }"
            . " location = /parts { ssi on; refuse 415 sent 40000; $pass }"
            . ' location = /refused-part { ssi on; default_type text/html;'
            . ' return 200 "<!--#include virtual=\"/held-3000-php?spec=t9000,f,s90000\" -->"; }';
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function refusals(): iterable
    {
        foreach (['classic', 'worker'] as $mode) {
            foreach (self::WHEN as $when) {
                foreach (array_keys(self::PAGES) as $page) {
                    yield "$when, $page, $mode" => [$mode, $when, $page];
                }
            }
        }
    }

    #[DataProvider('refusals')]
    public function test_the_answer_is_error_page_s(string $mode, string $when, string $page): void
    {
        $server = $this->server($mode);
        $worker = self::worker($server);
        $expected = match (true) {
            str_starts_with($when, 'sent') => null,
            $page === 'none' => [415, '415 Unsupported'],
            $page === 'named' => [200, 'named'],
            $page === 'elsewhere' => [302, '302 Found'],
            default => [415, in_array($page, ['php', 'slow'], true) ? '0000000 ' : 'a small file'],
        };
        // All at once; in pieces, with waits; the client's end comes while PHP does what nobody will see.
        foreach (['t80000', 't2000,f,s5,t2000,f,s5,t40000,f,s5,t40000', 'y,t500,f,s5,t80000,s20'] as $spec) {
            foreach ([$server->client, new Client("http://127.0.0.1:{$server->port2}")] as $version => $client) {
                $http2 = $version === 1 ? [CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE] : [];
                $mayBreak = $expected === null ? [Client::MAY_BREAK => true] : [];
                $response = $client->get(self::uri($when, $page) . "?spec=$spec", $http2 + $mayBreak);
                if ($expected !== null) {
                    self::assertSame($expected[0], $response->status, "$spec, $version");
                    self::assertStringContainsString($expected[1], $response->body, "$spec, $version");
                } else {
                    self::assertLessThan(80_000, strlen($response->body), "$spec, $version");
                    self::assertNotSame('', $response->error, "$spec, $version: nothing tells that there is more");
                }
            }
        }
        self::assertSame($worker, self::worker($server));
    }

    /** Of each way to be refused, in both protocols: while PHP waits, and while another location answers. */
    #[DataProvider('modes')]
    public function test_clients_that_go_while_php_waits(string $mode): void
    {
        $server = $this->server($mode);
        $worker = self::worker($server);
        foreach (['', 'y,'] as $goesOn) {
            $clients = [];
            foreach (self::WHEN as $when) {
                foreach (array_keys(self::PAGES) as $page) {
                    $uri = self::uri($when, $page) . "?spec={$goesOn}t100,f,s30,t8000,f,s100,t90000,f,s100,t1";
                    $clients[] = (new Http1($server->port))->get($uri)->socket;
                    $clients[] = $client = new Http2($server->port2);
                    $client->request($uri);
                }
            }
            usleep(60_000);
            foreach ($clients as $number => $client) {
                $client instanceof Http2 ? $client->reset(1) : fclose($client);
                usleep($number % 3 * 2000);
            }
            self::assertIdles($server);
        }
        self::assertSame($worker, self::worker($server), $server->log());
    }

    #[DataProvider('modes')]
    public function test_parts_are_refused(string $mode): void
    {
        $server = $this->server($mode);
        $worker = self::worker($server);
        for ($i = 0; $i < 10; ++$i) {
            $client = (new Http1($server->port))->get('/parts?spec=i/page?spec=s50;t9000,f,t30000,s30,t30000,s50,t10');
            $other = (new Http1($server->port))->get('/refused-part');
            usleep(20_000 * $i);
            fclose($client->socket);
            fclose($other->socket);
        }

        self::assertIdles($server);
        self::assertSame($worker, self::worker($server), $server->log());
    }

    #[DataProvider('modes')]
    public function test_image_filter_takes_a_picture_and_refuses_what_is_none(string $mode): void
    {
        $server = $this->server($mode);

        $picture = $server->client->get('/picture?spec=p20');
        $none = $server->client->get('/picture?spec=p-20,f,s50,t100000');
        $resized = $server->client->get('/resized?spec=p200');
        $refused = $server->client->get('/resized?spec=p-200,s50');

        self::assertSame([200, 200, 415, 415], [$picture->status, $resized->status, $none->status, $refused->status]);
        self::assertSame([20, 10], array_slice(getimagesizefromstring($picture->body) ?: [], 0, 2));
        self::assertSame(5, (getimagesizefromstring($resized->body) ?: [0])[0]);
        self::assertStringContainsString('0000000 ', $none->body);
    }

    /** As behind php-fpm: image_filter keeps the head of a 204 until its body ends, and finds no picture. That of a 304 it sends. */
    #[DataProvider('modes')]
    public function test_image_filter_learns_of_the_end_of_an_answer_without_a_body(string $mode): void
    {
        $server = $this->server($mode);

        $answers = [];
        foreach (['/picture', '/resized', '/page'] as $uri) {
            foreach (['h204', 'h204,p20', 'h204,f,s20,p20', 'h304,p20'] as $spec) {
                $answers["$uri $spec"] = $server->client->get("$uri?spec=$spec")->status;
            }
        }
        $body = $server->client->get('/picture?spec=h204')->body;

        self::assertSame(
            [415, 415, 415, 304, 415, 415, 415, 304, 204, 204, 204, 304],
            array_values($answers),
            json_encode($answers, JSON_THROW_ON_ERROR),
        );
        self::assertStringContainsString('0000000 ', $body);
    }

    private static function uri(string $when, string $page): string
    {
        return '/' . strtr($when, ' ', '-') . "-$page";
    }
}
