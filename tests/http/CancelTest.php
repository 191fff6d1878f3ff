<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** Requests that end before their time: a time limit, a client that goes away, a server that stops. */
final class CancelTest extends HttpTestCase
{
    private string $told;

    protected function setUp(): void
    {
        $this->told = (string) tempnam(sys_get_temp_dir(), 'howdah-told-');
        chmod($this->told, 0666);
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        unlink($this->told);
    }

    /** @return iterable<string, array{string, string}> */
    public static function endlessRequests(): iterable
    {
        foreach (['classic', 'worker'] as $mode) {
            foreach (['sleep', 'socket', 'spin', 'gathered'] as $how) {
                yield "$mode: $how" => [$mode, $how];
            }
        }
    }

    #[DataProvider('endlessRequests')]
    public function test_a_time_limit_ends_a_request_with_a_504_and_unwinds_it(string $mode, string $how): void
    {
        $server = $this->ownServer($mode, '--request-timeout=1');
        $workers = $server->workers();

        $responses = $server->client->all([$this->endless($how), '/sleep?ms=800&id=7']);

        self::assertSame([504, '7'], [$responses[0]->status, $responses[1]->body]);
        self::assertNull($responses[0]->header('set-cookie'), 'a part of what PHP said');
        self::assertGreaterThan(0.99, $responses[0]->seconds);
        self::assertLessThan(4.0, $responses[0]->seconds);
        self::assertTold('destroyed status 2', $server);
        $log = '/time limit of the request \(1000 ms, howdah_request_timeout\) .* 504; PHP was in .*actions\.php on line/';
        self::assertMatchesRegularExpression($log, $server->errors());
        self::assertSame('front page', $server->client->get('/')->body);
        self::assertSame($workers, $server->workers());
    }

    #[DataProvider('modes')]
    public function test_a_response_that_is_half_sent_ends_broken(string $mode): void
    {
        $server = $this->ownServer($mode, '--request-timeout=1');

        $response = $server->client->get($this->endless('half'), [Client::MAY_BREAK => true]);

        self::assertSame([200, 'half'], [$response->status, $response->body]);
        self::assertNotSame('', $response->error, 'nothing tells that there is more');
        self::assertTold('destroyed status 2', $server);
    }

    #[DataProvider('modes')]
    public function test_a_script_that_does_not_end_loses_its_place_to_another(string $mode): void
    {
        $server = $this->ownServer($mode, '--request-timeout=1', '--concurrency=1');

        $responses = $server->client->all([$this->endless('stubborn'), '/sleep?ms=10&id=8']);

        self::assertSame([504, '8'], [$responses[0]->status, $responses[1]->body]);
        self::assertLessThan(4.0, $responses[0]->seconds, 'the answer waits for the script');
        self::assertStringContainsString('did not end within 5 s after it was told to', $server->errors());
    }

    #[DataProvider('modes')]
    public function test_a_client_that_goes_away_ends_its_request(string $mode): void
    {
        $server = $this->ownServer($mode, '--client-abort=cancel');

        $server->client->get($this->endless('sleep'), [CURLOPT_TIMEOUT => 1]);

        self::assertTold('destroyed status 1', $server);
        self::assertSame('front page', $server->client->get('/')->body);
    }

    #[DataProvider('modes')]
    public function test_a_script_may_ignore_that_its_client_has_gone(string $mode): void
    {
        $server = $this->ownServer($mode, '--client-abort=cancel');

        $server->client->get($this->endless('ignore'), [CURLOPT_TIMEOUT => 1]);

        self::assertTold('whole destroyed status 0', $server);
    }

    #[DataProvider('modes')]
    public function test_requests_that_outlast_the_stop_timeout_get_a_503_and_are_unwound(string $mode): void
    {
        $server = $this->ownServer($mode, '--stop-timeout=1');
        $sent = false;

        $responses = $server->client->all(
            [$this->endless('sleep')],
            function (float $seconds) use ($server, &$sent): void {
                if (!$sent && $seconds > 0.3) {
                    $sent = true;
                    $server->signal(SIGTERM);
                }
            },
        );

        self::assertContains($responses[0]->status, [503, 0]);
        self::assertTold('destroyed status 2', $server);
        self::assertContains($server->await(12), [0, 1], $server->errors());
    }

    private function endless(string $how): string
    {
        return "/endless?how=$how&file=" . rawurlencode($this->told);
    }

    private function assertTold(string $text, Server $server): void
    {
        $told = fn (): string => (string) file_get_contents($this->told);
        $server->eventually(fn (): bool => str_contains($told(), 'status'), 5);
        self::assertSame($text, $told());
    }
}
