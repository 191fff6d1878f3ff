<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** X-Accel-...: what PHP asks of nginx with its headers, as under php-fpm. */
#[Group('flow')]
final class AccelTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/app/nginx';

    private const LOCATIONS = 'location /protected/ { internal; alias ' . __DIR__ . '/app/nginx/public/; }'
        . ' location @named { return 200 "named, $request_method"; }';

    #[DataProvider('modes')]
    public function test_nginx_sends_the_file_that_php_names(string $mode): void
    {
        $client = $this->serve($mode, self::LOCATIONS);

        $response = $client->get('/accel?To=/protected/download.txt&type=text/plain');

        self::assertSame([200, "what nginx sends\n"], [$response->status, $response->body], $this->log());
        self::assertSame('text/plain', explode(';', (string) $response->header('content-type'))[0]);
        self::assertNotNull($response->header('last-modified'));
        self::assertSame('private, max-age=5', $response->header('cache-control'));
        self::assertSame('attachment; filename="named"', $response->header('content-disposition'));
        self::assertStringStartsWith('from=PHP', (string) $response->header('set-cookie'));
        self::assertNull($response->header('x-own'), 'as with FastCGI, other headers end with the redirect');
        self::assertNull($response->header('x-accel-redirect'));
    }

    #[DataProvider('modes')]
    public function test_the_file_is_nginx_s_in_all_respects(string $mode): void
    {
        $client = $this->serve($mode, self::LOCATIONS);
        $url = '/accel?To=/protected/download.txt';

        $part = $client->get($url, [CURLOPT_RANGE => '5-9']);
        $etag = (string) $part->header('etag');
        $unchanged = $client->get($url, [CURLOPT_HTTPHEADER => ["If-None-Match: $etag"]]);
        $head = $client->get($url, [CURLOPT_NOBODY => true]);

        self::assertSame([206, 'nginx'], [$part->status, $part->body], $this->log());
        self::assertSame([304, ''], [$unchanged->status, $unchanged->body]);
        self::assertSame([200, '17', ''], [$head->status, $head->header('content-length'), $head->body]);
    }

    #[DataProvider('modes')]
    public function test_a_named_location_or_php_itself_may_answer(string $mode): void
    {
        $client = $this->serve($mode, self::LOCATIONS);

        self::assertSame('named, POST', $client->post('/accel?To=@named', ['a' => '1'])->body, $this->log());
        self::assertSame('after it', $client->get('/accel?To=/%3Fdone=1')->body, 'the URI stays, the query is the new one');
        self::assertSame(404, $client->get('/accel?To=/protected/none')->status);
        self::assertSame(404, $client->get('/accel?To=/protected/../../secret')->status);
    }

    #[DataProvider('modes')]
    public function test_what_concerns_nginx_is_obeyed_and_not_sent(string $mode): void
    {
        $client = $this->serve($mode, 'location /unused { charset koi8-r; }');

        $response = $client->get('/accel?Rate=100000&Charset=koi8-r&Buffering=no&type=application/javascript');

        self::assertSame([203, 140000], [$response->status, strlen($response->body)]);
        Clock::assertAtLeast(0.3, $response->seconds, '140,000 bytes at 100,000 a second');
        self::assertSame('application/javascript; charset=koi8-r', $response->header('content-type'));
        self::assertSame(['kept', 'kept'], [$response->header('x-accel-unknown'), $response->header('x-own')]);
        self::assertSame(['x-accel-unknown'], array_values(preg_grep('/^x-accel/', array_keys($response->headers)) ?: []));
    }

    /** After another location has taken over, what arrives on the connection is not Howdah's any more. */
    public function test_a_client_that_goes_on_sending_meanwhile_harms_nobody(): void
    {
        $this->serve('classic', str_replace('internal;', 'internal; limit_rate 10;', self::LOCATIONS));
        $socket = $this->connect();
        $get = "GET /accel?To=/protected/download.txt HTTP/1.1\r\nHost: x\r\n\r\n";
        $client = new Client("http://127.0.0.1:{$this->port}");
        fwrite($socket, $get);
        self::assertStringStartsWith('HTTP/1.1 200', (string) fgets($socket), $this->log());
        fwrite($socket, $get);
        // nginx has heard of what came before.
        self::assertSame(200, $client->get('/')->status);
        fclose($socket);

        self::assertSame('front page', $client->get('/')->body);
        self::assertStringNotContainsString('crash', $this->log());
    }
}
