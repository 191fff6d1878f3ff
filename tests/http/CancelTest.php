<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** Requests that end before their time: a time limit, a client that goes away, a server that stops. */
#[Group('flow')]
final class CancelTest extends HttpTestCase
{
    /** Far from a second, and from the 20 seconds that they last or the 5 that a script is given to end. */
    private const SOON = 4.0;

    /** The time limit, but for what clocks differ by. */
    private const LIMIT = 0.99;

    private string $told;

    protected function setUp(): void
    {
        $this->told = (string) tempnam(sys_get_temp_dir(), 'howdah-told-');
        touch("{$this->told}.begun");
        chmod($this->told, 0666);
        chmod("{$this->told}.begun", 0666);
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        array_map(unlink(...), glob("{$this->told}*") ?: []);
    }

    /** @return list<string> */
    protected static function options(string $mode): array
    {
        return [...parent::options($mode), '--request-timeout=1'];
    }

    /** @return iterable<string, array{string, string}> */
    public static function endlessRequests(): iterable
    {
        foreach (['classic', 'worker'] as $mode) {
            foreach (['sleep', 'socket', 'library', 'spin', 'gathered'] as $how) {
                yield "$mode: $how" => [$mode, $how];
            }
        }
    }

    #[DataProvider('endlessRequests')]
    public function test_a_time_limit_ends_a_request_with_a_504_and_unwinds_it(string $mode, string $how): void
    {
        $server = $this->server($mode);
        $workers = $server->workers();
        $logged = strlen($server->errors());
        // One waits when the other one's time is over; its own is not.
        $clock = Clock::start();
        $isLater = static fn (): bool => $clock->seconds() > 0.8;

        $responses = $server->client->all([$this->endless($how), ['/sleep?ms=400&id=7', [], $isLater]]);

        $this->assertBegun();
        self::assertSame(504, $responses[0]->status);
        self::assertServed('7', $responses[1], self::LIMIT);
        self::assertNull($responses[0]->header('set-cookie'), 'a part of what PHP said');
        Clock::assertAtLeast(self::LIMIT, $responses[0]->seconds, 'it has its second');
        Clock::assertAtMost(self::SOON, $responses[0]->seconds, 'the limit ends it');
        self::assertTold('destroyed status 2', $server);
        $log = '/time limit of the request \(1000 ms, howdah_request_timeout\) .* 504; PHP was in .*actions\.php on line/';
        self::assertMatchesRegularExpression($log, substr($server->errors(), $logged));
        self::assertStringNotContainsString('Uncaught', substr($server->errors(), $logged), 'no error of the application');
        self::assertSame('front page', $server->client->get('/')->body);
        self::assertSame($workers, $server->workers());
    }

    #[DataProvider('modes')]
    public function test_a_response_that_is_half_sent_ends_broken(string $mode): void
    {
        $server = $this->server($mode);

        $response = $server->client->get($this->endless('half'), [Client::MAY_BREAK => true]);

        $this->assertBegun();
        self::assertSame([200, 'half'], [$response->status, $response->body]);
        self::assertNotSame('', $response->error, 'nothing tells that there is more');
        self::assertTold('destroyed status 2', $server);
    }

    #[DataProvider('modes')]
    public function test_a_script_that_does_not_end_loses_its_place_to_another(string $mode): void
    {
        $server = $this->ownServer($mode, '--concurrency=1');

        $responses = $server->client->all([$this->endless('stubborn'), '/sleep?ms=10&id=8']);

        $this->assertBegun();
        self::assertSame(504, $responses[0]->status);
        self::assertServed('8', $responses[1], self::LIMIT);
        Clock::assertAtMost(self::SOON, $responses[0]->seconds, 'the answer does not wait for the script');
        self::assertStringContainsString('did not end within 5 s after it was told to', $server->errors());
    }

    /** @return iterable<string, array{string, string}> */
    public static function waits(): iterable
    {
        foreach (['classic', 'worker'] as $mode) {
            foreach (['sleep', 'library'] as $how) {
                yield "$mode: $how" => [$mode, $how];
            }
        }
    }

    #[DataProvider('waits')]
    public function test_a_client_that_goes_away_ends_its_request(string $mode, string $how): void
    {
        $server = $this->ownServer($mode, '--request-timeout=100', '--client-abort=cancel');

        $this->leave($server, $how);

        self::assertTold('destroyed status 1', $server);
        self::assertStringNotContainsString('Uncaught', $server->errors(), 'no error of the application');
        self::assertSame('front page', $server->client->get('/')->body);
    }

    #[DataProvider('modes')]
    public function test_a_script_may_ignore_that_its_client_has_gone(string $mode): void
    {
        $server = $this->ownServer($mode, '--request-timeout=100', '--client-abort=cancel');

        $this->leave($server, 'ignore');

        self::assertTold('whole destroyed status 0', $server);
    }

    #[DataProvider('modes')]
    public function test_requests_that_outlast_the_stop_timeout_get_a_503_and_are_unwound(string $mode): void
    {
        $server = $this->ownServer($mode, '--request-timeout=100', '--stop-timeout=1');
        $sent = false;

        $responses = $server->client->all(
            [$this->endless('sleep')],
            function () use ($server, &$sent): void {
                if (!$sent && $this->hasBegun()) {
                    $sent = true;
                    $server->signal(SIGTERM);
                }
            },
        );

        self::assertContains($responses[0]->status, [503, 0]);
        self::assertContains($server->await(), [0, 1], $server->errors());
        if (str_contains($server->errors(), 'exited on signal 9')) {
            Clock::late('the worker unwinds its request within the second after which nginx kills it');
        }
        self::assertTold('destroyed status 2', $server);
    }

    private function endless(string $how): string
    {
        return "/endless?how=$how&file=" . rawurlencode($this->told);
    }

    private function hasBegun(): bool
    {
        return file_get_contents("{$this->told}.begun") === 'begun';
    }

    /** Late where this machine kept a script from it until its time was over. */
    private function assertBegun(): void
    {
        $this->hasBegun() || Clock::late('the script begins before its time is over');
    }

    /** As soon as the script is in the middle of it. */
    private function leave(Server $server, string $how): void
    {
        $response = $server->client->get($this->endless($how), [
            CURLOPT_NOPROGRESS => false,
            CURLOPT_XFERINFOFUNCTION => fn (): int => $this->hasBegun() ? 1 : 0,
        ]);
        self::assertSame(0, $response->status, 'it has been answered');
        touch("{$this->told}.left");
    }

    private function assertTold(string $text, Server $server): void
    {
        $told = fn (): string => (string) file_get_contents($this->told);
        $server->eventually(fn (): bool => str_contains($told(), 'status'));
        self::assertSame($text, $told());
    }
}
