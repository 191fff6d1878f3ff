<?php

declare(strict_types=1);

namespace Howdah\Tests\Property;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/Property.php';

/**
 * 16 realms walk at random over every kind of state, and each finds what it has set.
 */
final class PropertyTest extends TestCase
{
    /** All walks of a run together. */
    private const STEPS = 200_000;

    /**
     * @return iterable<string, array{string, int, list<string>}>
     */
    public static function runs(): iterable
    {
        $chaos = ['--max-requests=5', '--chaos=7'];
        foreach (['classic', 'worker'] as $mode) {
            yield "{$mode}, 16 long requests" => [$mode, 16, []];
            yield "{$mode}, requests that end" => [$mode, 800, []];
            yield "{$mode}, requests that end, realms that are replaced, chaos" => [$mode, 800, $chaos];
        }
    }

    /**
     * @param list<string> $options
     */
    #[DataProvider('runs')]
    public function test_each_realm_finds_each_value_its_own(string $mode, int $requests, array $options): void
    {
        $steps = intdiv(self::STEPS, $requests);
        $run = Property::run($mode, $requests, $steps, 1, $options);

        self::assertSame(0, $run->exit, substr($run->err, -4000));
        self::assertStringContainsString("{$requests} answers, 0 wrong", $run->err);
        // What walks leave to be run at their end, and what PHP notices, goes there.
        self::assertSame("howdah-run: {$requests} answers, 0 wrong\n", $run->err);
        self::assertSame($requests, substr_count($run->out, "\"steps\":{$steps},"));
        self::assertGreaterThan(self::STEPS / 2, $this->sum($run->out, 'compared'));
    }

    /** In classic mode: long walks in worker mode do not always switch in the same places, for a reason that is not found yet. */
    public function test_a_seed_reproduces_a_run_and_another_does_not(): void
    {
        foreach ([[], ['--chaos=11']] as $options) {
            $options = [...$options, '--slice=0', '--max-requests=2'];
            $first = Property::run('classic', 48, 100, 5, $options);
            $again = Property::run('classic', 48, 100, 5, $options);
            $other = Property::run('classic', 48, 100, 6, $options);
            self::assertCount(48, $this->orders($first->out));
            self::assertSame($this->orders($first->out), $this->orders($again->out), implode(' ', $options));
            self::assertSame(md5($first->out), md5($again->out));
            self::assertNotSame($this->orders($first->out), $this->orders($other->out));
        }
        $one = Property::run('classic', 48, 100, 5, ['--slice=0', '--chaos=12']);
        $other = Property::run('classic', 48, 100, 5, ['--slice=0', '--chaos=13']);
        self::assertNotSame($this->orders($one->out), $this->orders($other->out));
    }

    private function sum(string $out, string $name): int
    {
        preg_match_all("/\"{$name}\":(\\d+)/", $out, $matches);

        return (int) array_sum($matches[1]);
    }

    /**
     * What each walk has seen of the switches between realms.
     *
     * @return list<string>
     */
    private function orders(string $out): array
    {
        preg_match_all('/"order":"(\w+)"/', $out, $matches);

        return $matches[1];
    }
}
