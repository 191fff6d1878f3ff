<?php

declare(strict_types=1);

namespace Howdah\Tests\Upstream;

use Howdah\Tests\Clock;
use Howdah\Tests\Upstream\Subjects\Basics;
use Howdah\Tests\Upstream\Subjects\Redirections;
use Howdah\Tests\Upstream\Subjects\Subrequests;
use PHPUnit\Framework\Attributes\DataProvider;

/** What takes more than one request, or one in parts: limit_req.t, limit_conn.t, *_request_buffering*.t, mirror.t, post_action.t. */
final class SuccessionTest extends UpstreamTestCase
{
    /** @return array<string, array{string}> */
    public static function modes(): array
    {
        return ['classic' => ['classic'], 'worker' => ['worker']];
    }

    #[DataProvider('modes')]
    public function test_a_second_request_is_too_many(string $mode): void
    {
        $first = $this->get($mode, '/counted/see?key=a');
        $second = $this->get($mode, '/counted/see?key=a');
        $third = $this->get($mode, '/counted-501/see?key=a');
        $other = $this->get($mode, '/counted/see?key=b');

        self::assertSame([200, 503, 501, 200], [$first->status, $second->status, $third->status, $other->status]);
    }

    /** A request is counted for as long as PHP serves it. */
    #[DataProvider('modes')]
    public function test_a_second_connection_is_too_many(string $mode): void
    {
        $held = $this->start($mode, "POST /held/body?key=c HTTP/1.0\r\nContent-Length: 2\r\n", 'x');
        $second = $this->get($mode, '/held/see?key=c');
        $third = $this->get($mode, '/held-501/see?key=c');
        $other = $this->get($mode, '/held/see?key=d');
        fwrite($held, 'y');
        $first = Answer::parse((string) stream_get_contents($held), false);
        fclose($held);
        // nginx lets go of what had a body when its client has closed, too.
        $after = Clock::await(function () use ($mode): ?Answer {
            $answer = $this->get($mode, '/held/see?key=c');

            return $answer->status === 503 ? null : $answer;
        }, 'the connection is not counted any more');

        self::assertSame([503, 501, 200], [$second->status, $third->status, $other->status]);
        self::assertSame([200, 'xy_eos', 200], [$first->status, $first->body, $after->status]);
    }

    /** @return array<string, array{string, string}> */
    public static function places(): array
    {
        $places = [];
        foreach (['classic', 'worker'] as $mode) {
            foreach (['', '/stream', '/small', '/single', '/file'] as $place) {
                $places["$mode $place"] = [$mode, $place];
            }
        }

        return $places;
    }

    #[DataProvider('places')]
    public function test_each_of_several_requests_sent_at_once_has_its_own_body(string $mode, string $place): void
    {
        $bodies = ['0123456789', str_repeat('0123456789', 128), str_repeat('0123456789', 512), 'foobar'];
        $sent = '';
        foreach ($bodies as $number => $body) {
            $close = $number === count($bodies) - 1 ? "Connection: close\r\n" : '';
            $head = "POST $place/body HTTP/1.1\r\nHost: " . Stage::host(Basics::class) . "\r\n$close";
            $sent .= $number % 2 === 0 ? "{$head}Content-Length: " . strlen($body) . "\r\n\r\n$body"
                : "{$head}Transfer-Encoding: chunked\r\n\r\n" . sprintf("%x\r\n%s\r\n0\r\n\r\n", strlen($body), $body);
        }

        $answers = self::stage($mode)->raw($sent);

        $found = [];
        while (preg_match('~\A.*?\r\nContent-Length: (\d+)\r\n.*?\r\n\r\n~s', $answers, $match) === 1) {
            $found[] = substr($answers, strlen($match[0]), (int) $match[1]);
            $answers = substr($answers, strlen($match[0]) + (int) $match[1]);
        }
        self::assertSame(array_map(static fn (string $body): string => "{$body}_eos", $bodies), $found);
        self::assertSame('', $answers);
    }

    #[DataProvider('modes')]
    public function test_what_is_mirrored_and_what_comes_after_are_served(string $mode): void
    {
        $stage = self::stage($mode);
        $stage->ask(Stage::host(Subrequests::class), Exchange::post('/mirrored/body?mirrored', 'both have it'), '1.1');
        $stage->ask(Stage::host(Subrequests::class), Exchange::get('/posted/see?posted'), '1.1');

        $stage->awaitLogged('~ /posted/see\?posted /post 200 ~');
        self::assertStringNotContainsString('[alert]', $stage->log());
    }

    private function get(string $mode, string $uri): Answer
    {
        return self::stage($mode)->ask(Stage::host(Redirections::class), Exchange::get($uri), '1.1');
    }

    /** @return resource what nginx has read already: it answered a request that came behind it */
    private function start(string $mode, string $head, string $body)
    {
        $socket = self::stage($mode)->connect();
        fwrite($socket, $head . 'Host: ' . Stage::host(Redirections::class) . "\r\n\r\n$body");
        self::assertSame(200, $this->get($mode, '/held/see?key=behind')->status);

        return $socket;
    }
}
