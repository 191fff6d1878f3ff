<?php

declare(strict_types=1);

namespace Howdah\Tests\Property;

use Howdah\Tests\Engine\Runner;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/Property.php';

/**
 * 16 realms walk at random over every kind of state, and each finds what it has set.
 */
final class PropertyTest extends TestCase
{
    /** Of each request, but for those that are long. */
    private const STEPS = 250;

    /**
     * Of short requests in a run; the steps of the long ones are as many in all. HOWDAH_LONG=1: six times as many. In the
     * other release's root a quarter: still more steps than show that a block is shared (tests/engine/BlockTest).
     */
    private const REQUESTS = 140;

    /**
     * @return iterable<string, array{string, int, list<string>}>
     */
    public static function runs(): iterable
    {
        $chaos = ['--max-requests=5', '--chaos=7'];
        $many = self::requests();
        foreach (['classic', 'worker'] as $mode) {
            yield "{$mode}, 16 long requests" => [$mode, 16, []];
            yield "{$mode}, requests that end" => [$mode, $many, []];
            yield "{$mode}, requests that end, realms that are replaced, chaos" => [$mode, $many, $chaos];
        }
    }

    /**
     * @param list<string> $options
     */
    #[DataProvider('runs')]
    public function test_each_realm_finds_each_value_its_own(string $mode, int $requests, array $options): void
    {
        $all = self::STEPS * self::requests();
        $steps = intdiv($all, $requests);
        $run = Property::run($mode, $requests, $steps, 1, $options);

        self::assertSame(0, $run->exit, substr($run->err, -4000));
        self::assertStringContainsString("{$requests} answers, 0 wrong", $run->err);
        // What walks leave to be run at their end, and what PHP notices, goes there.
        self::assertSame("howdah-run: {$requests} answers, 0 wrong\n", $run->err);
        self::assertSame($requests, substr_count($run->out, "\"steps\":{$steps},"));
        self::assertGreaterThan($all / 2, $this->sum($run->out, 'compared'));
    }

    /** Realms are born and end while others record traces, and all run what is compiled (docs/jit.md). */
    public function test_each_realm_finds_each_value_its_own_while_the_jit_compiles(): void
    {
        $requests = intdiv(self::requests(), 2);
        $options = ['--max-requests=5', '--chaos=3', '--ini=opcache.file_update_protection=0', ...Runner::jit('tracing')];
        $run = Property::run('worker', $requests, self::STEPS, 2, $options, query: '&jit=1');

        self::assertSame(0, $run->exit, substr($run->err, -4000));
        self::assertSame("howdah-run: {$requests} answers, 0 wrong\n", $run->err);
        self::assertSame($requests, preg_match_all('/"compiled":(\d+)/', $run->out, $compiled));
        self::assertGreaterThan(0, array_sum(array_map(intval(...), $compiled[1])), 'nothing was compiled');
    }

    /**
     * Realms that are never idle: an idle one has a timer that tidies it (engine/realm/garbage.c: 20 ms later in worker mode,
     * a second later in classic mode), and each turn of the loop serves at most eight timers (engine/loop/timer.c), so where a
     * turn ends depends on the clock then. That is why long walks in worker mode do not switch in the same places.
     */
    public function test_a_seed_reproduces_a_run_and_another_does_not(): void
    {
        foreach ([[], ['--chaos=11']] as $options) {
            $options = [...$options, '--slice=0', '--max-requests=1', '--ini=opcache.revalidate_freq=0'];
            $repeated = $this->repeated($options);
            $other = Property::run('classic', 48, 100, 6, $options);
            self::assertCount(48, $this->orders($repeated->out));
            self::assertNotSame($this->orders($repeated->out), $this->orders($other->out));
        }
        $one = Property::run('classic', 48, 100, 5, ['--slice=0', '--chaos=12']);
        $other = Property::run('classic', 48, 100, 5, ['--slice=0', '--chaos=13']);
        self::assertNotSame($this->orders($one->out), $this->orders($other->out));
    }

    /**
     * A run whose answers are those of an earlier one, byte by byte. opcache would look at a script's file again when two
     * seconds have passed, which it resolves for that (do_validate_timestamps(), ext/opcache/ZendAccelerator.c), and the chaos
     * scheduler throws its dice where files are resolved: it looks each time.
     *
     * @param list<string> $options
     */
    private function repeated(array $options): Runner
    {
        [$first, $again] = [Property::run('classic', 48, 100, 5, $options), Property::run('classic', 48, 100, 5, $options)];
        self::assertSame($first->out, $again->out, 'runs with one seed differ: ' . implode(' ', $options));

        return $again;
    }

    private static function requests(): int
    {
        return match (true) {
            getenv('HOWDAH_LONG') !== false => 6 * self::REQUESTS,
            getenv('HOWDAH_OTHER') !== false => intdiv(self::REQUESTS, 4),
            default => self::REQUESTS,
        };
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
