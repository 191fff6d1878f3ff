<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** What PHP answers reaches the client. */
#[Group('other')]
final class ResponseTest extends HttpTestCase
{
    #[DataProvider('modes')]
    public function test_status_headers_and_cookies_are_sent(string $mode): void
    {
        $response = $this->server($mode)->client->get('/headers');

        self::assertSame(418, $response->status);
        self::assertSame(['first', 'second'], $response->headers['x-one'] ?? null);
        self::assertNull($response->header('X-Gone'));
        self::assertSame('text/plain; charset=iso-8859-1', $response->header('Content-Type'));
        self::assertSame(['a=1; path=/; HttpOnly', 'b=x%20y'], $response->headers['set-cookie'] ?? null);
        self::assertSame('short and stout', $response->body);
    }

    #[DataProvider('modes')]
    public function test_content_is_html_unless_said(string $mode): void
    {
        self::assertSame('text/html; charset=UTF-8', $this->server($mode)->client->get('/')->header('Content-Type'));
    }

    #[DataProvider('modes')]
    public function test_a_redirect_is_a_302_with_its_location(string $mode): void
    {
        $response = $this->server($mode)->client->get('/redirect');

        self::assertSame([302, '/elsewhere?a=1'], [$response->status, $response->header('Location')]);
    }

    /** As php-fpm: the script's words, else PHP's own, which are not nginx's. */
    #[DataProvider('modes')]
    public function test_the_status_line_has_php_s_words(string $mode): void
    {
        $lines = [];
        foreach (['/reason', '/cgi-status', '/redirect', '/', '/exception'] as $uri) {
            $context = stream_context_create(['http' => ['ignore_errors' => true, 'follow_location' => 0]]);
            file_get_contents("http://127.0.0.1:{$this->server($mode)->port}$uri", context: $context);
            $lines[] = substr($http_response_header[0], strlen('HTTP/1.1 '));
        }

        self::assertSame(['404 Gone Fishing', '410 Eaten', '302 Found', '200 OK', '500 Internal Server Error'], $lines);
    }

    #[DataProvider('modes')]
    public function test_a_response_without_content_has_none(string $mode): void
    {
        $response = $this->server($mode)->client->get('/nothing');

        self::assertSame([204, ''], [$response->status, $response->body]);
    }

    #[DataProvider('modes')]
    public function test_an_answer_of_304_has_no_type(string $mode): void
    {
        $response = $this->server($mode)->client->get('/not-modified');

        self::assertSame([304, '"1"', null], [$response->status, $response->header('ETag'), $response->header('Content-Type')]);
    }

    #[DataProvider('modes')]
    public function test_head_is_answered_without_a_body(string $mode): void
    {
        $client = $this->server($mode)->client;

        $response = $client->get('/headers', [CURLOPT_NOBODY => true]);

        self::assertSame([418, ''], [$response->status, $response->body]);
        self::assertSame('text/plain; charset=iso-8859-1', $response->header('Content-Type'));
        self::assertSame('front page', $client->get('/')->body);
    }

    #[DataProvider('modes')]
    public function test_output_of_any_size_arrives_whole(string $mode): void
    {
        foreach ([0, 1, 8192, 100_000, 20_000_000] as $bytes) {
            $response = $this->server($mode)->client->get("/output?bytes=$bytes");

            self::assertSame($bytes, strlen($response->body));
            self::assertSame(200, $response->status);
        }
    }

    #[DataProvider('modes')]
    public function test_output_larger_than_the_memory_limit_reaches_a_slow_client(string $mode): void
    {
        $response = $this->server($mode)->client->get('/output?bytes=40000000', [CURLOPT_MAX_RECV_SPEED_LARGE => 40_000_000]);

        self::assertSame(40_000_000, strlen($response->body));
    }

    #[DataProvider('modes')]
    public function test_a_flush_sends_what_there_is(string $mode): void
    {
        $door = new Door();
        $seen = '';
        $response = $this->server($mode)->client->get("/flush?at={$door->path}", [
            CURLOPT_RETURNTRANSFER => false,
            CURLOPT_WRITEFUNCTION => static function ($curl, string $data) use (&$seen, $door): int {
                $seen .= $data;
                // Only what has come lets the rest be made.
                $seen === 'first' && $door->await()->open();

                return strlen($data);
            },
        ]);

        self::assertSame([200, 'firstsecond'], [$response->status, $seen]);
    }

    #[DataProvider('modes')]
    public function test_fastcgi_finish_request_lets_the_client_go_and_the_script_go_on(string $mode): void
    {
        $server = $this->server($mode);
        $file = $server->temporary . "/finished-$mode";
        $door = new Door();

        $response = $server->client->get('/finish?file=' . urlencode($file) . "&at={$door->path}");

        self::assertSame('early', $response->body);
        self::assertFileDoesNotExist($file);
        $door->await()->open();
        $told = "late [\"127.0.0.1\",\"127.0.0.1\",\"{$server->port}\"]";
        Clock::await(static fn (): bool => @file_get_contents($file) === $told, 'the script goes on');
    }

    #[DataProvider('modes')]
    public function test_files_are_sent_by_nginx_and_source_never(string $mode): void
    {
        $client = $this->server($mode)->client;

        $style = $client->get('/files/style.css');

        self::assertSame([200, 'text/css'], [$style->status, $style->header('Content-Type')]);
        self::assertNotNull($style->header('ETag'));
        self::assertSame(403, $client->get('/.env')->status);
        foreach (['/index.php', '/script.php', '/backup.php.bak', '/missing.php', '/script.php/x'] as $uri) {
            self::assertStringNotContainsString('<?php', $client->get($uri)->body, $uri);
        }
    }

    public function test_classic_mode_runs_scripts_by_their_name_with_path_info(): void
    {
        $client = $this->server('classic')->client;
        $file = self::APP . '/public/script.php';

        self::assertSame(
            ['file' => $file, 'script' => '/script.php', 'path_info' => null, 'self' => '/script.php'],
            $client->get('/script.php?x=1')->json(),
        );
        self::assertSame(
            ['file' => $file, 'script' => '/script.php', 'path_info' => '/a/b', 'self' => '/script.php/a/b'],
            $client->get('/script.php/a/b')->json(),
        );
    }

    #[DataProvider('modes')]
    public function test_what_is_no_file_is_the_applications_to_refuse(string $mode): void
    {
        $response = $this->server($mode)->client->get('/no/such/page');

        self::assertSame([404, 'front controller: nothing at /no/such/page'], [$response->status, $response->body]);
    }

    #[DataProvider('modes')]
    public function test_requests_are_logged_to_standard_output_and_messages_to_standard_error(string $mode): void
    {
        $server = $this->server($mode);
        self::assertSame(200, $server->client->get('/log?mark=7')->status);

        Clock::await(static fn (): bool => str_contains($server->output(), '"GET /log?mark=7 HTTP/1.1" 200'), 'it is logged');
        Clock::await(static fn (): bool => str_contains($server->errors(), 'logged on purpose'), 'it is logged');
    }

    #[DataProvider('modes')]
    public function test_a_header_without_a_name_is_left_out(string $mode): void
    {
        $server = $this->server($mode);
        $response = $server->client->get('/nameless-headers');

        self::assertSame([200, 'still here', ['kept']], [$response->status, $response->body, $response->headers['x-kept']]);
        self::assertArrayNotHasKey('', $response->headers);
        $kept = ['content-type', 'content-length', 'transfer-encoding', 'connection', 'date', 'server', 'x-kept'];
        self::assertSame([], array_values(array_diff(array_keys($response->headers), $kept)));
        foreach (['": no name", whose name is none', '"Invalid", which has no colon', '"X-Before : colon", whose'] as $said) {
            $logged = static fn (): bool => str_contains($server->errors(), "PHP sent the header $said");
            Clock::await($logged, "it is logged: $said");
        }
    }
}
