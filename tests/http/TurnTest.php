<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * Requests that are there when nginx looks are served one after the other, and their answers leave together. None is lost or
 * mixed up, and none waits for a request that computes.
 */
#[Group('realms')]
final class TurnTest extends PoolTestCase
{
    private const AT_ONCE = 40;

    protected static function options(string $mode): array
    {
        return [...parent::options($mode), '--ini=ffi.enable=1'];
    }

    #[DataProvider('modes')]
    public function test_each_of_many_that_come_at_once_has_its_own_answer(string $mode): void
    {
        $server = $this->ownServer($mode, '--concurrency=4');
        for ($round = 0; $round < 3; $round++) {
            $cork = new Cork();
            $block = $this->block($server, $cork);
            $asked = [];
            for ($number = 0; $number < self::AT_ONCE; $number++) {
                $asked["$round-$number"] = $this->connect($server);
                $asked["$round-$number"]->get("/echo?text=$round-$number&ms=" . ($number % 5 === 0 ? 20 : 0));
            }
            $cork->pull();
            self::assertSame('opened', $block->read()?->body);
            $answers = array_map(static fn (Http1 $client): ?string => $client->read()?->body, $asked);
            self::assertSame(array_combine(array_keys($asked), array_keys($asked)), $answers);
        }

        self::assertSame(3 * (self::AT_ONCE + 1), self::counted($server, 'requests'));
        Clock::await(static fn (): bool => self::counted($server, 'busy') === 1, 'nobody is left but the one who asks');
    }

    #[DataProvider('modes')]
    public function test_no_answer_waits_for_one_who_computes(string $mode): void
    {
        $server = $this->ownServer($mode, '--concurrency=8');
        $server->client->all(array_fill(0, 8, '/wait?n=50'));
        $cork = new Cork();
        $door = new Door();
        $block = $this->block($server, $cork);
        $before = array_map(fn (int $n): Http1 => $this->connect($server)->get("/echo?text=$n"), range(0, 2));
        $computing = $this->connect($server)->get("/computes?at={$door->path}");
        $after = array_map(fn (int $n): Http1 => $this->connect($server)->get("/echo?text=$n"), range(0, 2));
        $cork->pull();
        self::assertSame('opened', $block->read()?->body);
        foreach ([$before, $after] as $clients) {
            foreach ($clients as $number => $client) {
                self::assertSame((string) $number, $client->read()?->body, 'it computes for as long as the door is closed');
            }
        }

        $door->await()->open();
        self::assertSame('opened', $computing->read()?->body);
    }

    #[DataProvider('modes')]
    public function test_who_left_before_it_was_served_costs_nothing(string $mode): void
    {
        $server = $this->ownServer($mode, '--concurrency=2');
        $requests = self::counted($server, 'requests');
        $cork = new Cork();
        $block = $this->block($server, $cork);
        $stays = [];
        for ($number = 0; $number < self::AT_ONCE; $number++) {
            $client = $this->connect($server)->get("/echo?text=$number");
            if ($number % 2 === 0) {
                fclose($client->socket);
            } else {
                $stays[$number] = $client;
            }
        }
        $cork->pull();
        self::assertSame('opened', $block->read()?->body);
        foreach ($stays as $number => $client) {
            self::assertSame((string) $number, $client->read()?->body);
        }

        Clock::await(static fn (): bool => self::counted($server, 'busy') === 1, 'nobody is left but the one who asks');
        self::assertGreaterThanOrEqual($requests + self::AT_ONCE / 2 + 2, self::counted($server, 'requests'));
        self::assertSame(200, $server->client->get('/')->status);
    }

    /** Thousands of turns of the loop later each of many short waits has ended: else its wake was lost. */
    #[DataProvider('modes')]
    public function test_no_wake_is_lost(string $mode): void
    {
        $server = $this->ownServer($mode, '--concurrency=' . (self::AT_ONCE + 1));
        $other = $this->connect($server);
        for ($round = 0; $round < 15; $round++) {
            $waiting = [];
            for ($number = 0; $number < self::AT_ONCE; $number++) {
                $waiting[$number] = $this->connect($server)->get('/wait?n=1')->socket;
            }
            for ($turn = 0; $turn < 5_000 && $waiting !== []; $turn++) {
                self::assertSame('front page', $other->get('/')->read()?->body);
                $answered = $waiting;
                $write = $except = null;
                stream_select($answered, $write, $except, 0);
                $waiting = array_diff_key($waiting, $answered);
            }

            self::assertSame([], array_keys($waiting), "round $round: these wait for ever");
        }
    }

    public function test_answers_on_one_connection_keep_their_order(): void
    {
        $server = $this->ownServer('worker', '--concurrency=4');
        $client = $this->connect($server);
        $line = static fn (int $n): string => "GET /echo?text=$n HTTP/1.1\r\nHost: localhost\r\n\r\n";
        $client->send(implode('', array_map($line, range(1, 50))));

        $answers = array_map(static fn (): ?string => $client->read()?->body, range(1, 50));

        self::assertSame(array_map(strval(...), range(1, 50)), $answers);
    }

    /** Whether the script asked for the next request at once before, or not: a wait and a slice let the answer go. */
    #[TestWith(['wait'], 'wait')]
    #[TestWith(['compute'], 'compute')]
    public function test_what_a_worker_script_does_between_two_requests_keeps_nobody_waiting(string $what): void
    {
        $server = $this->after();
        for ($round = 0; $round < 3; $round++) {
            $server->client->all(array_fill(0, 20, '/'));
            $door = new Door();
            $response = $server->client->get("/?after=$what&at={$door->path}");

            self::assertSame('answered', $response->body, 'it does it for as long as the door is closed');
            $door->await()->open();
        }
    }

    /** Nothing can interrupt it; but who did it once has the answer sent before. */
    public function test_a_call_of_c_between_two_requests_is_learned_from(): void
    {
        $server = $this->after();
        $cork = new Cork();
        $first = $this->connect($server)->get("/?after=stick&at={$cork->path}");
        $cork->await()->pull();
        self::assertSame('answered', $first->read()?->body);
        for ($round = 0; $round < 3; $round++) {
            $cork = new Cork();
            $response = $server->client->get("/?after=stick&at={$cork->path}");

            self::assertSame('answered', $response->body, 'it is in that call for as long as the cork is in');
            $cork->await()->pull();
        }
    }

    private function after(): Server
    {
        return $this->ownServer('worker', '--concurrency=1', '--worker-script=' . self::APP . '/after-worker.php');
    }

    /** The worker is in one call of C: whoever comes before the cork is pulled is there in the same turn. */
    private function block(Server $server, Cork $cork): Http1
    {
        $client = $this->connect($server)->get("/sticks?at={$cork->path}");
        $cork->await();

        return $client;
    }

    private function connect(Server $server): Http1
    {
        return new Http1($server->port);
    }
}
