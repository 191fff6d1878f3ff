<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** What PHP has flushed goes to the client while PHP does something else. */
#[Group('flow')]
final class FlushTest extends FlowTestCase
{
    private const BYTES = 50_000;

    /** What nginx cannot send at once used to wait for PHP's next write: there is none before the client has it. */
    #[DataProvider('modes')]
    public function test_what_http_2_could_not_take_at_once_follows_when_it_can(string $mode): void
    {
        $nginx = $this->serve($mode);
        $client = new Http2($nginx->port2, 1000);
        $door = new Door();
        $stream = $client->request('/flushed?bytes=' . self::BYTES . "&at={$door->path}");
        self::assertTrue($client->until(static fn (): bool => strlen($client->bodies[$stream]) === 1000));

        $client->grant($stream, 2 * self::BYTES);
        self::assertTrue($client->until(static fn (): bool => strlen($client->bodies[$stream]) >= self::BYTES));
        $door->open();

        self::assertTrue($client->until(static fn (): bool => isset($client->ended[$stream])));
        self::assertSame(str_repeat('z', self::BYTES) . 'end', $client->bodies[$stream]);
    }

    /** nginx sends the rest a second later. */
    #[DataProvider('modes')]
    public function test_what_a_limit_of_the_rate_holds_back_follows_when_it_may(string $mode): void
    {
        $nginx = $this->serve($mode, 'limit_rate 20k;');
        $client = new Http1($nginx->port);
        $door = new Door();
        $client->get("/flushed?bytes=30000&at={$door->path}");

        $client->head();
        for ($bytes = 0; $bytes < 30_000 && ($chunk = $client->chunk()) !== null;) {
            $bytes += strlen($chunk);
        }

        self::assertSame(30_000, $bytes);
        $door->open();
        self::assertSame(['end', ''], [$client->chunk(), $client->chunk()]);
    }

    #[DataProvider('modes')]
    public function test_flushing_nothing_takes_no_memory(string $mode): void
    {
        $nginx = $this->serve($mode);
        $before = self::forgetPeak($nginx);

        self::assertSame('az', $nginx->client->get('/flushes?count=150000')->body);

        self::assertLessThan(6, self::peak($nginx) - $before);
    }

    /** A client would take it for an interim one and wait. */
    #[DataProvider('modes')]
    public function test_a_status_that_ends_no_request_is_an_error(string $mode): void
    {
        $nginx = $this->serve($mode);
        foreach (['100', '101', '103', '199 Odd'] as $status) {
            self::assertSame(500, $nginx->client->get('/status-line?value=' . urlencode($status))->status, $status);
        }
        self::assertSame(200, $nginx->client->get('/status-line?value=200')->status);
        foreach (['599', '600', '999 Foo'] as $status) {
            self::assertSame((int) $status, $nginx->client->get('/status-line?value=' . urlencode($status))->status);
        }
        $said = 'PHP sent the header "Status: 101", which ends no request: answered 500';
        self::assertStringContainsString($said, $nginx->log());
    }

    /** nginx refuses the whole answer of a php-fpm that sends one (502). */
    #[DataProvider('modes')]
    public function test_a_status_that_is_none_is_an_error(string $mode): void
    {
        $nginx = $this->serve($mode);
        foreach (['foo', '99', '1000', '', '40', '4 04', '-404', '404x', '404-Gone', '0404 Gone', '9999999999'] as $status) {
            self::assertSame(500, $nginx->client->get('/status-line?value=' . urlencode($status))->status, $status);
            $said = "PHP sent the header \"Status: $status\", which is no status: answered 500";
            self::assertStringContainsString($said, $nginx->log());
        }
        foreach (['abc' => 0, '0' => 0, '42 Odd' => 42, '101' => 101, '1000' => 1000] as $line => $status) {
            $response = $nginx->client->get('/first-line?value=' . urlencode("HTTP/1.1 $line"));
            self::assertSame(500, $response->status, (string) $line);
            $said = "PHP's status is $status, which ends no request: answered 500";
            self::assertStringContainsString($said, $nginx->log());
        }
        self::assertSame(404, $nginx->client->get('/status-line?value=404+Gone')->status);
        self::assertSame(404, $nginx->client->get('/first-line?value=' . urlencode('HTTP/1.1 404'))->status);
    }
}
