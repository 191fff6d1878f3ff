<?php

/**
 * Recursion through C code ends one request, wherever on the stack its frames lie; C code that recurses by itself has room.
 */

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class RecursionTest extends TestCase
{
    /** Of 16 bytes to 4,096, in steps of 16. */
    private const SIZES = 256;

    /** In scripts/nestings. */
    private const ALL = 90;

    /** One of each kind, for the places that the gate does not try with all of them. */
    private const SAMPLE = [
        'endless usort', 'endless to_string', 'endless json', 'endless iterator', 'endless autoload', 'endless error handler',
        'nested free arrays', 'nested serialize', 'nested compile a sum', 'nested DOM',
    ];

    private const END = 'Is what is freed, compared, serialized or compiled nested too deep?';

    /** Those that come to their end: they call no PHP code. PHP 8.3 and later measure the stack in some, and throw an Error. */
    private const WORKING = PHP_VERSION_ID >= 80300 ? ['nested free arrays', 'nested free at the end'] : [
        'nested free arrays', 'nested free at the end', 'nested serialize', 'nested compare', 'nested compile a sum',
        'nested cache a constant', 'nested DOM',
    ];

    /** @return iterable<string, array{string, string}> */
    public static function places(): iterable
    {
        yield 'classic' => ['classic', 'script'];
        yield 'worker' => ['worker', 'script'];
        yield 'classic, in a Fiber' => ['classic', 'fiber'];
        yield 'worker, in a Fiber' => ['worker', 'fiber'];
    }

    /**
     * PHP 8.3 and later measure a Fiber's stack, whatever the setting says.
     *
     * @return iterable<string, array{string, string}>
     */
    public static function unmeasuredPlaces(): iterable
    {
        foreach (self::places() as $name => $place) {
            if (PHP_VERSION_ID < 80300 || $place[1] === 'script') {
                yield $name => $place;
            }
        }
    }

    #[DataProvider('unmeasuredPlaces')]
    public function testFramesOfEverySizeEndOneRequest(string $mode, string $place): void
    {
        $run = Runner::run($mode === 'worker' ? 'frames-worker.php' : 'frames.php', [
            "--mode={$mode}", '--quiet', '--requests=' . 4 * self::SIZES, '--at-once=8',
            "--query=in={$place}&n=%d", '--expect-part=ok',
            '--ini=extension=' . realpath(__DIR__ . '/../../build/extension/frames.so'),
            // PHP 8.3 and later would throw an Error before the stack is used up.
            '--ini=zend.max_allowed_stack_size=-1',
        ], extensions: []);
        self::assertSame(0, $run->exit, substr($run->err, -2000));
        self::assertSame(self::SIZES, substr_count($run->err, 'Maximum call stack size'), substr($run->err, -2000));
    }

    /** @return iterable<string, array{string, string}> */
    public static function somePlaces(): iterable
    {
        foreach (self::places() as $name => $place) {
            if (getenv('HOWDAH_LONG') || in_array($name, ['classic', 'worker, in a Fiber'], true)) {
                yield $name => $place;
            }
        }
    }

    #[DataProvider('somePlaces')]
    public function testWhateverRecursesIsAnsweredAndSoAreItsNeighbours(string $mode, string $place): void
    {
        foreach (getenv('HOWDAH_LONG') ? [80_000, 300_000] : [80_000] as $deep) {
            $run = self::nest($mode, $place, [], $deep);
            self::assertSame(self::ALL, preg_match_all('/begin (.+)/', $run->err, $begun), $run->err);
            self::assertCount(self::ALL, array_unique($begun[1]));
            foreach ($deep === 80_000 ? self::WORKING : [] as $name) {
                self::assertStringContainsString("done {$name}\n", $run->err, substr($run->err, -2000));
            }
        }
    }

    #[TestWith(['worker', 'script'], 'worker')]
    #[TestWith(['classic', 'fiber'], 'classic, in a Fiber')]
    public function testASampleIsAnsweredInTheOtherPlacesAndSoAreItsNeighbours(string $mode, string $place): void
    {
        $run = self::nest($mode, $place, self::SAMPLE, 80_000);
        preg_match_all('/begin (.+)/', $run->err, $begun);
        self::assertEqualsCanonicalizing(self::SAMPLE, $begun[1], $run->err);
        foreach (array_intersect(self::SAMPLE, self::WORKING) as $name) {
            self::assertStringContainsString("done {$name}\n", $run->err, substr($run->err, -2000));
        }
    }

    #[DataProvider('somePlaces')]
    public function testWhereTheStackIsUsedUpTheRequestEndsInTheCCode(string $mode, string $place): void
    {
        // PHP 8.3 and later would throw an Error before; what they do in a Fiber cannot be switched off.
        $place = PHP_VERSION_ID >= 80300 ? 'script' : $place;
        $run = self::nest($mode, $place, ['nested serialize'], 600_000, ['--ini=zend.max_allowed_stack_size=-1']);
        self::assertSame(1, substr_count($run->err, self::END), substr($run->err, -2000));
        self::assertStringNotContainsString('done', $run->err);
    }

    /**
     * One of them and three neighbours at a time, each in turn. All are answered, and the process lives.
     *
     * @param list<string> $names empty: all
     * @param list<string> $options
     */
    private static function nest(string $mode, string $place, array $names, int $deep, array $options = []): Runner
    {
        $requests = 4 * (count($names) ?: self::ALL);
        $query = ['in' => $place, 'deep' => $deep] + ($names ? ['only' => implode(',', $names)] : []);
        $run = Runner::run($mode === 'worker' ? 'nestings-worker.php' : 'nestings.php', [
            "--mode={$mode}", "--requests={$requests}", '--at-once=4', '--quiet', '--head',
            '--query=' . http_build_query($query) . '&n=%d',
            '--ini=memory_limit=512M', '--ini=max_execution_time=0', ...$options,
        ]);
        self::assertSame(0, $run->exit, substr($run->err, -2000));
        self::assertSame($requests, substr_count($run->out, 'Status: '), substr($run->err, -2000));

        return $run;
    }
}
