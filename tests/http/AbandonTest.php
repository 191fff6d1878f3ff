<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** Clients that leave before they have their answer: while nginx hears of nobody, in the queue, while PHP waits or computes. */
#[Group('flow')]
final class AbandonTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/pool';

    private const PING = ' location = /ping { return 200 pong; }';

    /** @return array<string, array{string, string, bool}> mode, directive, whether requests outlive their clients */
    public static function ways(): array
    {
        return [
            'classic' => ['classic', '', true],
            'classic, cancel' => ['classic', 'howdah_client_abort cancel;', false],
            'worker' => ['worker', '', false],
            'worker, continue' => ['worker', 'howdah_client_abort continue;', true],
        ];
    }

    /** @return list<string> */
    protected static function options(string $mode): array
    {
        return [...parent::options($mode), '--ini=ffi.enable=1'];
    }

    #[DataProvider('ways')]
    public function test_a_client_that_has_left_before_its_request_begins(string $mode, string $directive, bool $outlives): void
    {
        $client = $this->serve($mode, $directive);
        // Who comes and goes meanwhile has done both when nginx looks.
        $cork = new Cork();
        $sticks = $this->ask($this->tells(9, 'sticks', $cork->path));
        $cork->await();
        for ($number = 0; $number < 8; ++$number) {
            $this->leave($this->ask($this->tells($number)));
        }
        $cork->pull();
        self::assertSame(200, $sticks->read()?->status, $this->log());

        self::assertSame('front page', $client->get('/')->body);
        $begun = $outlives ? [...range(0, 7), 9] : [9];
        $this->await(fn (): bool => count($this->told('ends')) === count($begun));
        self::assertSame($begun, $this->told('begins'));
        self::assertSame(8, substr_count($this->log(), '" 499 '), $this->log());
    }

    /** nginx has read its request already, and hears of nothing while PHP serves the one before it: the kernel is asked. */
    #[DataProvider('ways')]
    public function test_a_client_that_leaves_in_the_turn_that_read_it(string $mode, string $directive, bool $outlives): void
    {
        // The second one must not let the third one in before it sticks.
        $client = $this->serve($mode, $directive, ['howdah_concurrency 16;' => 'howdah_concurrency 16; howdah_slice 0;']);
        $one = new Cork();
        $first = $this->ask($this->tells(7, 'sticks', $one->path));
        $one->await();
        // A second of computing, in C: to go to a door, or to make a call of one's own, lets others in.
        $second = $this->ask($this->tells(8, 'block&n=1000'));
        $leaving = $this->ask($this->tells(9));
        $one->pull();
        $this->await(fn (): bool => $this->told('begins') === [7, 8]);
        $this->leave($leaving);
        $this->told('ends') === [7] || Clock::late('the client leaves while the second one computes');
        self::assertSame([200, 200], [$first->read()?->status, $second->read()?->status], $this->log());

        self::assertSame('front page', $client->get('/')->body);
        $begun = $outlives ? [7, 8, 9] : [7, 8];
        $this->await(fn (): bool => count($this->told('ends')) === count($begun));
        self::assertSame($begun, $this->told('begins'));
        self::assertSame(1, substr_count($this->log(), '" 499 '), $this->log());
    }

    /** A live one has the place of those that have left, and need not wait for them. */
    #[DataProvider('ways')]
    public function test_a_client_that_leaves_the_queue_makes_room(string $mode, string $directive, bool $outlives): void
    {
        $client = $this->serve($mode, "$directive howdah_concurrency 1; howdah_queue 2;" . self::PING);
        $client->get('/');
        $door = new Door();
        $running = $this->ask($this->tells(0, 'door', $door->path));
        $door->await();
        $left = [$this->ask($this->tells(1)), $this->ask($this->tells(2))];
        $this->ping($client);
        array_map($this->leave(...), $left);
        $this->ping($client);
        $live = $this->ask($this->tells(3));
        $this->ping($client);
        $door->open();
        $running->read();

        self::assertSame(200, $live->read()?->status, $this->log());
        $ended = $outlives ? [0, 3, 2] : [0, 3];
        $this->await(fn (): bool => $this->told('ends') === $ended);
    }

    #[DataProvider('ways')]
    public function test_a_client_that_leaves_while_php_waits(string $mode, string $directive, bool $outlives): void
    {
        $this->assertEnds($mode, $directive, $outlives, 'door');
    }

    #[DataProvider('ways')]
    public function test_a_client_that_leaves_while_php_computes(string $mode, string $directive, bool $outlives): void
    {
        $this->assertEnds($mode, $directive, $outlives, 'computes');
    }

    /** What outlives its client ends when the door is opened, the other before; its finally blocks run where it is not cancelled. */
    private function assertEnds(string $mode, string $directive, bool $outlives, string $how): void
    {
        $client = $this->serve($mode, $directive . self::PING);
        $door = new Door();
        $leaving = $this->ask($this->tells(1, $how, $door->path));
        $door->await();
        $this->leave($leaving);
        $this->ping($client);
        if ($outlives) {
            self::assertSame([], $this->told('ends'));
            $door->open();
        }

        $this->await(fn (): bool => ($client->get('/status')->json()['busy'] ?? 0) === 1);
        self::assertSame($outlives ? [1] : [], $this->told('ends'));
        self::assertSame($outlives ? [1] : [], $this->told('finally'));
        self::assertTrue($this->logs('" 499 '), $this->log());
    }

    /** How does it last: at all, or until a door is opened. */
    private function tells(int $number, string $how = 'wait', string $at = ''): string
    {
        return "/tells?number=$number&how=$how&at=$at&file={$this->folder}/told";
    }

    private function ask(string $uri): Http1
    {
        return (new Http1($this->port))->get($uri);
    }

    private function leave(Http1 $client): void
    {
        fclose($client->socket);
    }

    /** nginx, of one process, has heard of all that came before, in this order. */
    private function ping(Client $client): void
    {
        self::assertSame('pong', $client->get('/ping')->body);
    }

    /** @return list<int> the numbers of the requests that told so */
    private function told(string $what): array
    {
        preg_match_all("/^(\d+) $what$/m", $this->toldAll(), $found);
        $numbers = array_map(intval(...), $found[1]);
        if ($what === 'begins') {
            sort($numbers);
        }

        return $numbers;
    }

    private function toldAll(): string
    {
        return (string) @file_get_contents("{$this->folder}/told");
    }

    /** @param callable(): bool $look */
    private function await(callable $look): void
    {
        Clock::await($look, fn (): string => "{$this->toldAll()}\n{$this->log()}");
    }
}
