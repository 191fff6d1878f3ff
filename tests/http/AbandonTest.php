<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** Clients that leave before they have their answer: while nginx hears of nobody, in the queue, while PHP waits or computes. */
final class AbandonTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/pool';

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

    #[DataProvider('ways')]
    public function test_a_client_that_has_left_before_its_request_begins(string $mode, string $directive, bool $outlives): void
    {
        $client = $this->serve($mode, $directive);
        // One call of C: who comes and goes meanwhile has done both when nginx looks.
        $block = $this->ask($this->tells(9, 300, 'block'));
        self::assertTrue($this->eventually(fn (): bool => $this->told('begins') === [9]), $this->toldAll());
        for ($number = 0; $number < 8; ++$number) {
            $this->leave($this->ask($this->tells($number, 50)));
        }
        self::assertSame(200, $block->read()?->status, $this->log());

        self::assertSame('front page', $client->get('/')->body);
        $begun = $outlives ? [...range(0, 7), 9] : [9];
        self::assertTrue($this->eventually(fn (): bool => count($this->told('ends')) === count($begun)), $this->toldAll());
        self::assertSame($begun, $this->told('begins'));
        self::assertSame(8, substr_count($this->log(), '" 499 '), $this->log());
    }

    /** nginx has read its request already, and hears of nothing while PHP serves the one before it: the kernel is asked. */
    #[DataProvider('ways')]
    public function test_a_client_that_leaves_in_the_turn_that_read_it(string $mode, string $directive, bool $outlives): void
    {
        $client = $this->serve($mode, $directive);
        $first = $this->ask($this->tells(7, 300, 'block'));
        self::assertTrue($this->eventually(fn (): bool => $this->told('begins') === [7]), $this->toldAll());
        $second = $this->ask($this->tells(8, 500, 'block'));
        $leaving = $this->ask($this->tells(9, 0));
        self::assertTrue($this->eventually(fn (): bool => $this->told('begins') === [7, 8]), $this->toldAll());
        $this->leave($leaving);
        self::assertSame([200, 200], [$first->read()?->status, $second->read()?->status], $this->log());

        self::assertSame('front page', $client->get('/')->body);
        $begun = $outlives ? [7, 8, 9] : [7, 8];
        self::assertTrue($this->eventually(fn (): bool => count($this->told('ends')) === count($begun)), $this->toldAll());
        self::assertSame($begun, $this->told('begins'));
        self::assertSame(1, substr_count($this->log(), '" 499 '), $this->log());
    }

    /** A live one has the place of those that have left, and need not wait for them. */
    #[DataProvider('ways')]
    public function test_a_client_that_leaves_the_queue_makes_room(string $mode, string $directive, bool $outlives): void
    {
        $client = $this->serve($mode, "$directive howdah_concurrency 1; howdah_queue 2;");
        $client->get('/');
        $running = $this->ask('/wait?n=600');
        usleep(50_000);
        $left = [$this->ask($this->tells(1, 0)), $this->ask($this->tells(2, 0))];
        usleep(50_000);
        array_map($this->leave(...), $left);
        usleep(50_000);
        $live = $this->ask($this->tells(3, 0));
        usleep(50_000);
        $running->read();

        self::assertSame(200, $live->read()?->status, $this->log());
        $begun = $outlives ? [3, 2] : [3];
        self::assertTrue($this->eventually(fn (): bool => $this->told('ends') === $begun), $this->toldAll());
    }

    #[DataProvider('ways')]
    public function test_a_client_that_leaves_while_php_waits(string $mode, string $directive, bool $outlives): void
    {
        $this->assertEnds($mode, $directive, $outlives, 'wait');
    }

    #[DataProvider('ways')]
    public function test_a_client_that_leaves_while_php_computes(string $mode, string $directive, bool $outlives): void
    {
        $this->assertEnds($mode, $directive, $outlives, 'compute');
    }

    /** Within the time of the whole, by its end or before; its finally blocks run where it is not cancelled. */
    private function assertEnds(string $mode, string $directive, bool $outlives, string $how): void
    {
        $client = $this->serve($mode, $directive);
        $leaving = $this->ask($this->tells(1, 500, $how));
        self::assertTrue($this->eventually(fn (): bool => $this->told('begins') === [1]), $this->toldAll());
        $this->leave($leaving);

        self::assertTrue($this->eventually(fn (): bool => ($client->get('/status')->json()['busy'] ?? 0) === 1), $this->log());
        self::assertSame($outlives ? [1] : [], $this->told('ends'));
        self::assertSame($outlives ? [1] : [], $this->told('finally'));
        self::assertTrue($this->logs('" 499 '), $this->log());
    }

    private function tells(int $number, int $ms, string $how = 'wait'): string
    {
        return "/tells?number=$number&n=$ms&how=$how&file={$this->folder}/told";
    }

    private function ask(string $uri): Http1
    {
        return (new Http1($this->port))->get($uri);
    }

    private function leave(Http1 $client): void
    {
        fclose($client->socket);
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
    private function eventually(callable $look): bool
    {
        for ($tries = 0; $tries < 250 && !$look(); ++$tries) {
            usleep(20_000);
        }

        return $look();
    }
}
