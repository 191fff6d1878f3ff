<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Audit\ListPlan;
use Howdah\Cli\Audit\Request;
use Howdah\Cli\Audit\RequestList;
use PHPUnit\Framework\Attributes\DataProvider;

/** The file of requests that `howdah audit` sends. */
final class RequestListTest extends CliTestCase
{
    public function test_a_line_is_a_request_with_its_headers_below_and_its_body_behind(): void
    {
        $requests = $this->read(<<<'TEXT'
            # a visitor
            GET /shop?page=2#top

            POST /login name=guest&password=a b
            PUT /cart/1 {"amount": 2}
              Authorization: Bearer abc
            	Accept: application/json
            POST /upload @photo.jpg
              content-type: image/jpeg
            DELETE /cart/1
            TEXT);

        self::assertEquals([
            new Request('GET', '/shop?page=2'),
            new Request('POST', '/login', ['Content-Type: application/x-www-form-urlencoded'], 'name=guest&password=a b'),
            new Request(
                'PUT',
                '/cart/1',
                ['Authorization: Bearer abc', 'Accept: application/json', 'Content-Type: application/json'],
                '{"amount": 2}',
            ),
            new Request('POST', '/upload', ['content-type: image/jpeg'], "JPEG\n\0"),
            new Request('DELETE', '/cart/1'),
        ], $requests);
    }

    /** @return iterable<array{string, string}> */
    public static function mistakes(): iterable
    {
        yield 'nothing' => ['', 'has no request in it'];
        yield 'a comment' => ["# nothing\n\n", 'has no request in it'];
        yield 'a word' => ["GET /\nshop\n", 'line 2: `shop` is no request'];
        yield 'another server' => ["GET http://elsewhere/\n", 'line 1: `GET http://elsewhere/` is no request'];
        yield 'a header alone' => ["  Accept: */*\n", 'line 1: a header, but no request above it'];
        yield 'no header' => ["GET /\n  accept\n", 'line 2: `accept` is no header'];
        yield 'no file' => ["POST / @missing\n", 'missing cannot be read'];
    }

    #[DataProvider('mistakes')]
    public function test_a_mistake_is_named_with_its_line(string $text, string $part): void
    {
        self::assertStringContainsString($part, $this->failure(fn () => $this->read($text)));
    }

    public function test_a_file_that_is_not_there_is_named(): void
    {
        $message = $this->failure(static fn () => RequestList::read('/no/such/list'));

        self::assertStringContainsString('--requests=/no/such/list cannot be read', $message);
    }

    public function test_every_client_sends_the_list_in_its_order_as_often_as_it_is_told(): void
    {
        $plan = new ListPlan([new Request('GET', '/a'), new Request('GET', '/b')], 2);
        $sent = ['', ''];

        foreach ([0, 1, 1, 0, 0, 1, 0, 1, 0, 1] as $client) {
            $sent[$client] .= $plan->next($client)?->path;
        }

        self::assertSame(['/a/b/a/b', '/a/b/a/b'], $sent);
    }

    /** @return list<Request> */
    private function read(string $text): array
    {
        $folder = $this->project(['list.txt' => $text, 'photo.jpg' => "JPEG\n\0"]);

        return RequestList::read("$folder/list.txt");
    }
}
